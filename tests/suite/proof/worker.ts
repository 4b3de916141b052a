/** A process of the proof, which `processes.ts` starts: it proves the subjects that it is sent, several at the same time. */
import type { Subject } from './judged.ts';
import { prove } from './prove.ts';

export interface Order {
  number: number;
  subject: Subject;
  keep?: string | undefined;
}

// Stacks are made for each aborted request, and never read here.
process.setSourceMapsEnabled(false);
Error.stackTraceLimit = 0;

// Server and suite share this process, and its clock.
const [clock = 0] = process.argv.slice(2).map(Number);
const now = Date.now.bind(Date);
if (clock !== 0) Date.now = () => now() + clock;

process.on('message', ({ number, subject, keep }: Order) => {
  prove(subject, keep).then(
    (proven) => process.send?.({ number, proven }),
    (error: Error) => process.send?.({ number, error: error.stack ?? error.message }),
  );
});
process.on('disconnect', () => process.exit(0));
process.send?.('ready');
