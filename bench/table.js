// Tables in Markdown.
export function table(head, rows) {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

export const time = (micros) =>
  micros >= 1000 ? `${(micros / 1000).toFixed(1)} ms` : `${micros.toFixed(1)} µs`;
export const ratio = (value, floor) => `${(value / floor).toFixed(2)}×`;
export const kib = (value) =>
  value >= 1024 ? `${(value / 1024).toFixed(1)} MiB` : `${value.toFixed(1)} KiB`;
