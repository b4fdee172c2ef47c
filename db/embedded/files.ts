import { chmod, lchown, mkdir, open, readdir, rename } from "node:fs/promises";
import { dirname, join } from "node:path";

/** The owner's alone; but an account that PostgreSQL runs as instead of root must be able to pass through. */
export async function makeDataDir(dataDir: string): Promise<void> {
  await mkdir(dataDir, { recursive: true, mode: process.getuid?.() === 0 ? 0o711 : 0o700 });
}

/** Writes a file of mode 0600 so that a crash leaves the old or the new content, never half of it. */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  const temporary = `${path}.${process.pid}.tmp`;
  const file = await open(temporary, "w", 0o600);
  try {
    await file.chmod(0o600);
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporary, path);
  await syncDirectory(dirname(path));
}

/** The text of a file, or null when there is none. Tightens its mode: it may hold a secret. */
export async function readPrivateFile(path: string): Promise<string | null> {
  try {
    const file = await open(path, "r");
    try {
      const text = await file.readFile("utf8");
      await chmod(path, 0o600).catch(() => {});
      return text;
    } finally {
      await file.close();
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

/** Owner of everything below and, last, of the directory itself: an interrupted run is seen and repeated. */
export async function changeOwner(path: string, owner: { uid: number; gid: number }): Promise<void> {
  for (const entry of await readdir(path, { withFileTypes: true })) {
    const child = join(path, entry.name);
    if (entry.isDirectory()) await changeOwner(child, owner);
    else await lchown(child, owner.uid, owner.gid);
  }
  await lchown(path, owner.uid, owner.gid);
}

async function syncDirectory(path: string): Promise<void> {
  if (process.platform === "win32") return;
  const directory = await open(path, "r");
  await directory.sync().catch(() => {});
  await directory.close();
}
