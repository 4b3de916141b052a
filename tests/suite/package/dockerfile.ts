/** Reads a Dockerfile without a container engine, so that its commands can run in a folder. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../gate/spawn.ts';

export interface Instruction {
  word: string;
  rest: string;
}

/** The instructions of each stage, with continued lines joined. */
export function parseStages(file = 'Dockerfile'): Instruction[][] {
  const text = readFileSync(join(ROOT, file), 'utf8')
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '');
  const stages: Instruction[][] = [];
  for (const line of text.split('\n').filter((each) => each.trim() !== '')) {
    const [, word = '', rest = ''] = /^(\S+)\s+(.*)$/.exec(line) ?? [];
    if (word === 'FROM') stages.push([]);
    stages.at(-1)?.push({ word, rest });
  }
  return stages;
}

/** The commands of the RUN instructions of a stage, with the folders of the image below `root`. */
export const parseCommands = (stage: readonly Instruction[], root: string): string[] =>
  stage
    .filter(({ word }) => word === 'RUN')
    .map(({ rest }) => rest.replaceAll(/(?<=\s)\/(?=suite|opt|work)/g, `${root}/`));

/** The last of the instructions with this word. */
export const last = (stage: readonly Instruction[], word: string): string | undefined =>
  stage.findLast((each) => each.word === word)?.rest;
