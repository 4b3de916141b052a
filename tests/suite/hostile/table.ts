/** Renders `docs/hostile-targets.md`: `npx tsx tests/suite/hostile/table.ts` writes it, and a test compares it. */
import { writeFileSync } from 'node:fs';
import { MEGABYTES, REQUESTS, SECONDS } from './fault.ts';
import { faults } from './faults/index.ts';

export const TABLE = new URL('../../../docs/hostile-targets.md', import.meta.url);

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
const code = (text: string): string => `\`${text}\``;

/** What is reported of a target: the verdict, what is held against it, and the words of the cause. */
function verdictOf({ verdict, breaks = [], also, cause }: (typeof faults)[number]): string {
  const more = also === '*' ? ['and what follows from it'] : (also ?? []).map((id) => `perhaps ${code(id)}`);
  const held = [...breaks.map(code), ...more].join(', ');
  return [code(verdict), ...(held === '' ? [] : [held]), ...(cause === undefined ? [] : [`“${cause}”`])].join(': ');
}

export function renderTable(): string {
  const rows = faults.map((fault) => `| ${cell(fault.id)} | ${cell(fault.title)} | ${cell(verdictOf(fault))} |`);
  return `# Targets that misbehave

This file is made by the suite's own tests: \`npx tsx tests/suite/hostile/table.ts\` writes it, and a test compares it.

${faults.length} faults are put in front of the reference implementation, and each is judged as below: the verdict, the requirements that
it violates (nothing else is held against it), and the words in which the report names the cause. Without throttling a run
says \`partial\` where \`conforms\` stands here. Each run keeps to bounds (no more than ${SECONDS} seconds of work, ${MEGABYTES} MB of memory and
${REQUESTS} requests unless its fault takes more), sends nothing between a 429 and the end of its Retry-After, follows no address that a
target names, leaves no key, no control character and no command of a CI system in anything that it writes or prints, and
its reports can be read.

| fault | what the target does | what the report shows |
| --- | --- | --- |
${rows.join('\n')}

What ends a run from outside (SIGINT, SIGTERM, SIGKILL), and where it cannot write (\`REPORT_DIR\` or the temporary folder a file,
a full disk), is in \`tests/suite/hostile/processes.spec.ts\`: the report in \`REPORT_DIR\` is never that of an earlier run.
`;
}

if (process.argv[1]?.endsWith('hostile/table.ts')) writeFileSync(TABLE, renderTable());
