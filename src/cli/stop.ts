// What tells the process to stop.
import { faultOf, type Logger } from '../log.ts';

/** What nobody has caught leaves the bridge in no known state: it ends, and all that it started. */
export function endByFault(log: Logger): void {
  const end = (error: unknown): void => {
    log.error(faultOf(error), 'ended by a fault of the bridge');
    process.exit(1);
  };
  process.on('uncaughtException', end);
  process.on('unhandledRejection', end);
}

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
