/** Renders `docs/hostile-targets.md`: `npx tsx tests/suite/hostile/table.ts` writes it, and a test compares it. */
import { writeFileSync } from 'node:fs';
import { MEGABYTES, REQUESTS, SECONDS } from './fault.ts';
import { faults } from './faults/index.ts';

export const TABLE = new URL('../../../docs/hostile-targets.md', import.meta.url);

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
const code = (text: string): string => `\`${text}\``;

/** The expected result: the verdict, the violated requirements, and the words of the cause. */
function verdictOf({ verdict, breaks = [], also, cause }: (typeof faults)[number]): string {
  const more = also === '*' ? ['and what follows from it'] : (also ?? []).map((id) => `perhaps ${code(id)}`);
  const held = [...breaks.map(code), ...more].join(', ');
  return [code(verdict), ...(held === '' ? [] : [held]), ...(cause === undefined ? [] : [`“${cause}”`])].join(': ');
}

export function renderTable(): string {
  const rows = faults.map((fault) => `| ${cell(fault.id)} | ${cell(fault.title)} | ${cell(verdictOf(fault))} |`);
  return `# Targets that misbehave

This file is made by the suite's own tests: \`npx tsx tests/suite/hostile/table.ts\` writes it, and a test compares it.

A proxy in front of the reference implementation produces ${faults.length} faults. The table shows for each the verdict, all violated
requirements, and the words of the cause in the report. A run without throttling is \`partial\` if the table has \`conforms\`.

Every run stays within bounds: ${SECONDS} seconds of work, ${MEGABYTES} MB of memory and ${REQUESTS} requests, unless its fault needs more. It sends
nothing between a 429 and the end of its Retry-After, and follows no address of the target. It writes and prints no key, no
control character and no command to a CI system. Its reports are readable.

| fault | what the target does | what the report shows |
| --- | --- | --- |
${rows.join('\n')}

\`tests/suite/hostile/processes.spec.ts\` covers signals (SIGINT, SIGTERM, SIGKILL) and places that are not writable (\`REPORT_DIR\`,
the temporary folder, a full disk): \`REPORT_DIR\` never keeps an earlier report.
`;
}

if (process.argv[1]?.endsWith('hostile/table.ts')) writeFileSync(TABLE, renderTable());
