/** Renders docs/requirements.md: each requirement with its defects and variants (`npm run generate`). */
import { writeFileSync } from 'node:fs';
import { type Requirement, requirements } from '../../../fixtures/contract/requirements.ts';
import { defects } from '../../../fixtures/reference/defects/index.ts';
import { variants } from '../../../fixtures/reference/variants/index.ts';
import { secondDefects } from '../contract/second-defects.ts';

const FILE = new URL('../../../docs/requirements.md', import.meta.url);

/** Escapes text for Markdown and HTML. */
const plain = (text: string): string => text.replaceAll(/[\\`*_[\]|<>]/g, '\\$&');

const folded = (summary: string, lines: readonly string[]): string =>
  `<details><summary>${summary}</summary>\n\n${lines.map((line) => `- ${line}`).join('\n')}\n\n</details>`;

const counted = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`;

/** The defects that a requirement catches, and the variants that do not follow a recommendation. */
function renderProof({ id, level, untestable }: Requirement): string {
  const caught = [
    ...defects.filter(({ breaks }) => breaks === id).map(({ title }) => title),
    ...secondDefects.filter(({ breaks }) => breaks === id).map(({ title }) => `${title} (with a second contract)`),
  ];
  const free = variants.filter(({ advice }) => advice?.includes(id)).map(({ title }) => title);
  const proofs = [
    ...(caught.length > 0 ? [folded(`It catches ${counted(caught.length, 'defect')}.`, caught.map(plain))] : []),
    ...(free.length > 0
      ? [folded(`${counted(free.length, 'lawful variant')} do not follow it.`, free.map(plain))]
      : []),
  ];
  if (proofs.length > 0) return proofs.join('\n\n');
  if (untestable !== undefined) return `Not judged: ${plain(untestable)}`;
  return level === 'open'
    ? 'Observed, and never judged.'
    : 'No service can break it: it is about the settings of a run, or the contract.';
}

const renderEntry = (requirement: Requirement): string => {
  const { id, level, section, source, statement } = requirement;
  const from = source === undefined ? '' : `, ${plain(source)}`;
  return `**\`${id}\`** · ${level} · section ${section}${from}<br>\n${plain(statement)}\n\n${renderProof(requirement)}\n`;
};

const ofLevel = (level: Requirement['level']): string =>
  requirements
    .filter((each) => each.level === level)
    .map(renderEntry)
    .join('\n');

/** The lawful variants, by the topic that their ids begin with. */
function variantsByTopic(): string {
  const topics = [...new Set(variants.map(({ id }) => id.split('/')[0] ?? ''))];
  return topics
    .map((topic) => {
      const own = variants.filter(({ id }) => id.startsWith(`${topic}/`)).map(({ title }) => plain(title));
      return folded(`${topic}: ${counted(own.length, 'variant')}`, own);
    })
    .join('\n\n');
}

export const requirementsDocument = (): string => `# Which sentences are judged, and what proves it?

\`npm run generate\` writes this file from \`spec/requirements.yaml\`. A test fails when it is out of date.

You find each requirement with its level and its section of the service specification. Below it stand the seeded defects that it
catches. \`npm run proof\` runs the suite against each of them. Every defect has to be blamed on its requirement.

## What must a service do?

${ofLevel('must')}
## What should it do, by the standards it builds on?

${ofLevel('should')}
## What may it choose?

The specification does not show these. A report shows what was observed.

${ofLevel('open')}
## Which lawful services are accused of nothing?

No requirement may fail on any of these ${variants.length} variants. \`npm run proof -- --variants\` runs them.

${variantsByTopic()}
`;

if (process.argv[1]?.endsWith('documents/requirements.ts')) writeFileSync(FILE, requirementsDocument());
