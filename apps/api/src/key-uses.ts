export type KeyUses = {
  record(apiKeyId: string): void;
  close(): Promise<void>;
};

export type KeyUsesDeps = {
  /** Best effort: failed writes are dropped. */
  write(apiKeyIds: string[]): Promise<void>;
  everyMs: number;
  maxKeys: number;
};

/** Collects the API keys that were used and writes them periodically, so that calls do not wait for it. */
export function createKeyUses({ write, everyMs, maxKeys }: KeyUsesDeps): KeyUses {
  let used = new Set<string>();
  let timer: NodeJS.Timeout | undefined;

  async function flush(): Promise<void> {
    timer = undefined;
    const ids = [...used];
    used = new Set();
    await write(ids).catch(() => undefined);
  }

  return {
    record(apiKeyId) {
      if (used.size < maxKeys) used.add(apiKeyId);
      timer ??= setTimeout(() => void flush(), everyMs).unref();
    },
    async close() {
      clearTimeout(timer);
      if (used.size > 0) await flush();
    },
  };
}
