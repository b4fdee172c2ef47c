/** Whether a key belongs to a field, a dialog or a shortcut of the browser, and must be left to it. */
export function isTyping(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return true;
  const target = event.target instanceof HTMLElement ? event.target : null;
  return target?.closest("input, textarea, select, [contenteditable], [role=dialog]") != null;
}
