// The legacy (2025-11-25) server that the conformance suite judges through the bridge. Writes each answer to its
// questions to ANSWER_LOG, as the suite does not look whether they arrived.
import { appendFileSync } from 'node:fs';
import { ask, failure, notify, serve } from '../fixtures/legacy-kit.js';
import { capabilities, methodsWith } from './features.js';

serve({
  capabilities,
  onAnswer: (answer) => {
    const file = process.env.ANSWER_LOG;
    if (file !== undefined) appendFileSync(file, `${JSON.stringify(answer)}\n`);
  },
  methods: methodsWith({ ask, notify, fail: failure }),
});
