// Loaded into a process whose memory is measured: on SIGUSR2 it collects what is garbage and says what is left.
process.on('SIGUSR2', () => {
  globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  process.stderr.write(`live ${heapUsed + external}\n`);
});
