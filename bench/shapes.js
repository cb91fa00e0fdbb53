// What is measured: which way, how many at once, how large, and how often within one sample.
const small = { size: 100, warmUp: 12_000, count: 4000 };
const inFlight = (number) => ({ ...small, inFlight: number });
const large = (size, count, warmUp) => ({ size, warmUp, count, inFlight: 1 });
const list = { ...small, method: 'tools/list', inFlight: 8 };
const sleeping = { size: 100, sleep: 50, warmUp: 1, count: 32, inFlight: 32 };

const of = (way, loads) => Object.entries(loads).map(([name, load]) => ({ way, name, load }));

export const shapes = [
  ...of('stdio → stdio', {
    'one at a time': inFlight(1),
    '8 in flight': inFlight(8),
    '32 in flight': { ...inFlight(32), count: 12_000 },
    '64 in flight': { ...inFlight(64), count: 12_000 },
    '1 KB results, 32 in flight': { ...inFlight(32), size: 1000, count: 12_000 },
    '100 KB results': large(100_000, 300, 300),
    '1 MB results': large(1_000_000, 60, 30),
    '10 MB results': large(10_000_000, 8, 2),
    'lists from memory, 8 in flight': list,
    '32 calls of 50 ms at once': sleeping,
  }),
  ...of('HTTP → stdio', {
    'one at a time': inFlight(1),
    '8 in flight': inFlight(8),
    '32 in flight': inFlight(32),
    '64 in flight': inFlight(64),
    '1 KB results, 8 in flight': { ...inFlight(8), size: 1000 },
    '100 KB results': large(100_000, 300, 300),
    '1 MB results': large(1_000_000, 60, 30),
    '10 MB results': large(10_000_000, 8, 2),
    'lists from memory, 8 in flight': list,
    '32 calls of 50 ms at once': sleeping,
  }),
  ...of('HTTP → HTTP', {
    'one at a time': inFlight(1),
    '8 in flight': inFlight(8),
    '8 in flight, event streams': { ...inFlight(8), answers: 'events' },
    '32 in flight': inFlight(32),
    '64 in flight': inFlight(64),
    '1 MB results': large(1_000_000, 60, 30),
    '10 MB results': large(10_000_000, 8, 2),
  }),
];
