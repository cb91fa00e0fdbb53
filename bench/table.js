// Tables in Markdown.
export function table(head, rows) {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** What a program has refused has no figure. */
const unlessRefused =
  (text) =>
  (value, ...more) =>
    Number.isNaN(value) ? 'refused' : text(value, ...more);

export const time = unlessRefused((micros) =>
  micros >= 1000 ? `${(micros / 1000).toFixed(1)} ms` : `${micros.toFixed(1)} µs`,
);
export const ratio = unlessRefused((value, floor) => `${(value / floor).toFixed(2)}×`);
export const kib = unlessRefused((value) =>
  value >= 1024 ? `${(value / 1024).toFixed(1)} MiB` : `${value.toFixed(1)} KiB`,
);
