/** Too much is waiting; the caller answers 503. */
export class Overloaded extends Error {
  override name = "Overloaded";
}

export type GroupCommitOptions<Item, Result> = {
  /** Writes a batch and commits it; answers in the order of the batch. */
  write(batch: readonly Item[]): Promise<Result[]>;
  /** Bytes that an item keeps in memory while it waits. */
  sizeOf(item: Item): number;
  /** Whether an error is one row's own fault, so that the others deserve a try without it. */
  isRowFault(error: unknown): boolean;
  maxRows: number;
  maxBatchBytes: number;
  maxWaitingRows: number;
  maxWaitingBytes: number;
  /** Batches under way at once. */
  parallel: number;
};

type Waiting<Item, Result> = {
  item: Item;
  size: number;
  resolve(result: Result): void;
  reject(error: unknown): void;
};

/**
 * Lets items that arrive while a batch is being written share the next commit. An item that finds nothing under way
 * is written in the same turn of the event loop, so an idle server is as quick as one INSERT; under load a commit serves as many as wait.
 */
export class GroupCommit<Item, Result> {
  readonly #options: GroupCommitOptions<Item, Result>;
  #waiting: Waiting<Item, Result>[] = [];
  #waitingBytes = 0;
  #running = 0;
  #starting = false;

  constructor(options: GroupCommitOptions<Item, Result>) {
    this.#options = options;
  }

  /** Resolves when the item's commit is confirmed; rejects with Overloaded or with the database's error. */
  add(item: Item): Promise<Result> {
    const size = this.#options.sizeOf(item);
    const { maxWaitingRows, maxWaitingBytes } = this.#options;
    if (
      this.#waiting.length >= maxWaitingRows ||
      (this.#waiting.length > 0 && this.#waitingBytes + size > maxWaitingBytes)
    ) {
      return Promise.reject(new Overloaded("the queue of receipts is full"));
    }
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    this.#waiting.push({ item, size, resolve, reject });
    this.#waitingBytes += size;
    this.#startSoon();
    return promise;
  }

  get waiting(): { rows: number; bytes: number } {
    return { rows: this.#waiting.length, bytes: this.#waitingBytes };
  }

  /** At the end of this turn of the event loop: what it read from other connections shares the commit. */
  #startSoon(): void {
    if (this.#starting || this.#running === this.#options.parallel) return;
    this.#starting = true;
    setImmediate(() => {
      this.#starting = false;
      this.#next();
    });
  }

  #next(): void {
    while (this.#running < this.#options.parallel && this.#waiting.length > 0) {
      this.#running++;
      void this.#write(this.#take()).finally(() => {
        this.#running--;
        this.#next();
      });
    }
  }

  #take(): Waiting<Item, Result>[] {
    let bytes = 0;
    let rows = 0;
    for (const { size } of this.#waiting) {
      if (rows > 0 && (rows === this.#options.maxRows || bytes + size > this.#options.maxBatchBytes)) break;
      rows++;
      bytes += size;
    }
    this.#waitingBytes -= bytes;
    return this.#waiting.splice(0, rows);
  }

  async #write(batch: Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.#options.write(batch.map(({ item }) => item));
      for (const [index, entry] of batch.entries()) entry.resolve(results[index]!);
    } catch (error) {
      if (batch.length === 1 || !this.#options.isRowFault(error)) {
        for (const entry of batch) entry.reject(error);
        return;
      }
      for (const entry of batch) await this.#write([entry]);
    }
  }
}
