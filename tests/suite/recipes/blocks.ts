/** The code blocks of the documentation. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../gate/spawn.ts';

export interface Block {
  /** `docs/operators.md:69` */
  place: string;
  file: string;
  language: string;
  text: string;
}

export const documents = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'CHANGELOG.md',
  ...readdirSync(join(ROOT, 'docs')).flatMap((name) => (name.endsWith('.md') ? `docs/${name}` : [])),
];

export const textOf = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

export function findBlocks(file: string): Block[] {
  const text = textOf(file);
  return [...text.matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(({ 1: language = '', 2: code = '', index }) => ({
    place: `${file}:${text.slice(0, index).split('\n').length}`,
    file,
    language,
    text: code,
  }));
}

export const EXAMPLE = 'https://staging.example.com/shop/v1';

/** Every block that a shell can run. */
export const recipes = documents.flatMap(findBlocks).filter(({ language }) => language === 'sh');

/** Blocks that other tests run: with the installed package, and with the examples of CONTRIBUTING.md. */
export const isOfPackage = ({ text }: Block): boolean => text.includes('npx animal-store-conformance');
export const isOfExample = ({ file }: Block): boolean => file === 'CONTRIBUTING.md';
