// What the bridge costs against relays that do nothing, and against published programs with --rivals. Prints Markdown,
// and writes the same as JSON to results/bench.json. See bench/README.md for how to read it.
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { path } from './contenders.js';
import { measureGrowth } from './growth.js';
import { measureMemory } from './memory.js';
import { measure } from './samples.js';
import { shapes } from './shapes.js';
import { measureStarts } from './starts.js';
import { kib, ratio, table, time } from './table.js';

const { values: options } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    rounds: { type: 'string', default: '5' },
    rivals: { type: 'boolean', default: false },
  },
});
const rounds = Number(options.rounds);
const wanted = (name) => name.includes(options.only);
const machine = `Node ${process.versions.node}, ${cpus().length} × ${cpus()[0].model}`;
const results = { machine, rounds, shapes: [] };

console.log(`${machine}; medians of ${rounds}\n`);

for (const shape of shapes) {
  const name = `${shape.way}, ${shape.name}`;
  if (!wanted(name)) continue;
  const [floor, ...others] = await measure(shape, rounds, options.rivals);
  results.shapes.push({ name, floor, others });
  if (results.shapes.length === 1) console.log(head());
  for (const each of others) console.log(rowOf(name, floor, each));
}

for (const [name, run] of Object.entries({ start: startTable, memory: memoryTable, growth: growthTable }))
  if (wanted(name)) console.log(`\n${await run()}`);

mkdirSync(path('../results'), { recursive: true });
writeFileSync(path('../results/bench.json'), `${JSON.stringify(results, null, 2)}\n`);

function head() {
  return table(
    ['shape', 'program', 'CPU a call', 'of the floor', 'time a call', 'of the floor', 'memory at its peak'],
    [],
  );
}

function rowOf(name, floor, { name: program, cpu, wall, peak }) {
  const cells = [
    name,
    program,
    time(cpu),
    ratio(cpu, floor.cpu),
    time(wall),
    ratio(wall, floor.wall),
    `+${kib(peak)}`,
  ];
  return `| ${cells.join(' | ')} |`;
}

async function startTable() {
  results.starts = await measureStarts(Math.max(rounds, 9));
  const rows = Object.entries(results.starts).map(([name, ms]) => [name, `${ms.toFixed(0)} ms`]);
  return table(['from the start to the first answer, or to the end', 'time'], rows);
}

async function memoryTable() {
  results.memory = await measureMemory();
  return table(
    ['memory', ''],
    Object.entries(results.memory).map(([name, value]) => [name, kib(value)]),
  );
}

async function growthTable() {
  results.growth = await measureGrowth();
  return table(
    ['grows with', 'of these', 'time for each', 'memory for each'],
    results.growth.map(({ what, count, micros, memory }) => [
      what,
      count.toLocaleString('en'),
      time(micros),
      kib(memory),
    ]),
  );
}
