// Time as a parameter, so that tests move it instead of waiting.

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Calls `run` once after `ms` milliseconds, unless the returned function is called before. */
  after(ms: number, run: () => void): () => void;
  /**
   * The same, but what has arrived by then is read first: a process that was busy finds its timers due before it looks
   * at its input.
   */
  afterInput(ms: number, run: () => void): () => void;
}

export const systemClock: Clock = {
  now: Date.now,
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => {
      clearTimeout(timer);
    };
  },
  afterInput(ms, run) {
    let isStopped = false;
    const stopTimer = systemClock.after(ms, () => {
      setImmediate(() => {
        if (!isStopped) run();
      });
    });
    return () => {
      isStopped = true;
      stopTimer();
    };
  },
};
