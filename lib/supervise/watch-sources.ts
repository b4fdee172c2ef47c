import { watch } from "node:fs";
import { join } from "node:path";

/** Calls back a moment after sources below these directories changed; for hot reload of what Next does not serve. */
export function watchSources(root: string, directories: string[], onChange: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  const watchers = directories.map((directory) =>
    watch(join(root, directory), { recursive: true }, (_event, name) => {
      if (!name || !/\.(ts|json)$/.test(name)) return;
      clearTimeout(timer);
      timer = setTimeout(onChange, 150);
    }),
  );
  return () => {
    clearTimeout(timer);
    for (const watcher of watchers) watcher.close();
  };
}
