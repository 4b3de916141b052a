/** Finds mistakes in the files of a run: a key, commands to a terminal or a CI system, an unreadable report. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { unzipSync } from 'fflate';
import { FORMS } from './faults/words.ts';

/** Base64 in a page, and in attachments of the blob and JSON reports. */
const PACKED = /data:application\/zip;base64,([A-Za-z0-9+/=]+)|"(?:base64|body)":"([A-Za-z0-9+/=]{40,})"/g;

/** Every file below a folder as text by its path, and what is packed in it by the path of its file. */
export function everything(directory: string): Map<string, string> {
  const found = new Map<string, string>();
  const take = (name: string, data: Buffer): void => {
    if (data.subarray(0, 2).toString('latin1') === 'PK')
      for (const [entry, inside] of Object.entries(unzipSync(data))) take(`${name} › ${entry}`, Buffer.from(inside));
    const text = data.toString('utf8');
    found.set(name, text);
    for (const [i, [, archive, body]] of [...text.matchAll(PACKED)].entries())
      take(`${name} › packed ${i}`, Buffer.from(archive ?? body ?? '', 'base64'));
  };
  for (const path of readdirSync(directory, { recursive: true, encoding: 'utf8' }))
    if (statSync(join(directory, path)).isFile()) take(path, readFileSync(join(directory, path)));
  return found;
}

const around = (text: string, at: number): string => JSON.stringify(text.slice(Math.max(0, at - 60), at + 60));

export const leaks = (name: string, text: string): string[] =>
  Object.entries(FORMS)
    .filter(([, form]) => text.includes(form))
    .map(([form, written]) => `the key ${form} is in ${name}: ${around(text, text.indexOf(written))}`);

// Control characters and changes of text direction, but not line breaks and tabs.
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/;

export function unseen(name: string, text: string): string[] {
  const found = UNSEEN.exec(text);
  return found ? [`U+${found[0].charCodeAt(0).toString(16)} is in ${name}: ${around(text, found.index)}`] : [];
}

/** Commands to a CI system: GitHub's at the beginning of a line, others anywhere in it. */
const COMMAND = /^[ \t]*::[\w-]+.*::|##\[\w+|##vso\[|##teamcity\[/m;

/** @param allowed lines that the suite itself prints. */
export function commands(name: string, text: string, allowed: RegExp = /^$/): string[] {
  const others = text
    .split('\n')
    .filter((line) => !allowed.test(line))
    .join('\n');
  const found = COMMAND.exec(others);
  return found ? [`a command of a CI system is in ${name}: ${around(others, found.index)}`] : [];
}

const VOID = /^(meta|link|br|hr|img|input|col|wbr|source)$/i;

/** Mistakes of XML or HTML: elements that are not closed, characters that are not escaped. */
export function findMistakes(name: string, text: string, isHtml = false): string[] {
  const open: string[] = [];
  const wrong: string[] = [];
  // Scripts and styles hold no markup.
  const plain = text
    .replace(/^<\?xml[^>]*\?>|<!doctype html>/, '')
    .replaceAll(/<(script|style)>([^]*?)<\/\1>/g, (_, tag: string, inside: string) =>
      /<\/?(script|style)/.test(inside) ? `<${tag}>` : '',
    );
  const rest = plain.replaceAll(
    /<(\/?)([a-zA-Z][\w-]*)((?:\s+[\w:-]+(?:="[^"<]*")?)*)\s*(\/?)>/g,
    (_found, closing: string, tag: string, _attributes: string, empty: string) => {
      if (closing !== '' && open.pop() !== tag) wrong.push(`</${tag}> closes another element in ${name}`);
      if (closing === '' && empty === '' && !(isHtml && VOID.test(tag))) open.push(tag);
      return '';
    },
  );
  if (open.length > 0) wrong.push(`not closed in ${name}: ${open.join(', ')}`);
  const bare = /[<>]|&(?!(amp|lt|gt|quot|apos|#\d+|#x[\da-f]+);)/i.exec(rest);
  if (bare) wrong.push(`${bare[0]} stands bare in ${name}: ${around(rest, bare.index)}`);
  return wrong;
}
