// What tells the process to stop.

const parentWatchMs = 1000;

/** Resolves on the first signal to stop; a second one ends the process at once. */
export function stopSignal(): Promise<string> {
  return new Promise((resolve) => {
    let isStopping = false;
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
      process.on(signal, () => {
        if (isStopping) process.exit(1);
        isStopping = true;
        resolve(signal);
      });
  });
}

/** A client that is killed may leave its end of the pipe open with somebody else; its place as parent tells. */
export function parentDeath(): Promise<string> {
  const parent = process.ppid;
  return new Promise((resolve) => {
    const timer = setInterval(() => {
      if (process.ppid === parent) return;
      clearInterval(timer);
      resolve('the parent process has gone');
    }, parentWatchMs).unref();
  });
}
