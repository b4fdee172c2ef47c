/**
 * Orders two versions as semver does: negative when `a` is older. A pre-release is older than its release; two
 * pre-releases of one release are ordered as text with numbers.
 */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [parse(a), parse(b)];
  for (let part = 0; part < 3; part++) {
    const difference = left.numbers[part]! - right.numbers[part]!;
    if (difference !== 0) return difference;
  }
  if (left.pre === right.pre) return 0;
  if (!left.pre || !right.pre) return left.pre ? -1 : 1;
  return left.pre.localeCompare(right.pre, "en", { numeric: true });
}

function parse(version: string): { numbers: number[]; pre: string } {
  const match = /^v?(\d+)\.(\d+)\.(\d+)(?:-([^+]+))?(?:\+.*)?$/.exec(version.trim());
  if (!match) throw new Error(`"${version}" is not a version like 1.2.3.`);
  return { numbers: match.slice(1, 4).map(Number), pre: match[4] ?? "" };
}
