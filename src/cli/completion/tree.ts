import type { Command, Option } from 'commander';

/** What a word may be at a place of the command line. */
export interface Word {
  word: string;
  description: string;
}

/** What an option takes behind it: one of these words, a file, or something that cannot be known. */
export type Taken = { option: string; words: readonly string[] } | { option: string; is: 'file' | 'unknown' };

/** A command, by the words that lead to it: `['users', 'list']`; none are the program itself. */
export interface Place {
  path: readonly string[];
  /** Commands below it. */
  commands: readonly Word[];
  options: readonly Word[];
  taken: readonly Taken[];
  /** Whether its arguments are files. */
  takesFiles: boolean;
}

/** Every command of a program. Pure. */
export function placesOf(program: Command, path: readonly string[] = []): Place[] {
  const help = { word: '--help', description: 'display help' };
  const here: Place = {
    path,
    commands: program.commands.map((one) => ({ word: one.name(), description: firstLine(one.description()) })),
    options: [...program.options.map(asWord), help],
    taken: program.options.filter(({ required, optional }) => required || optional).map(takenBy),
    takesFiles: program.registeredArguments.some((one) => isFile(one.name())),
  };
  return [here, ...program.commands.flatMap((one) => placesOf(one, [...path, one.name()]))];
}

const nameOf = ({ long, short }: Option): string => long ?? short ?? '';
const asWord = (option: Option): Word => ({ word: nameOf(option), description: firstLine(option.description) });

function takenBy(option: Option): Taken {
  const name = nameOf(option);
  if (option.argChoices) return { option: name, words: option.argChoices };
  return { option: name, is: isFile(option.flags) ? 'file' : 'unknown' };
}

/** By the name that stands in the usage: `<file.zip>`. */
const isFile = (usage: string): boolean => /\bfiles?\b|\bfolder\b/i.test(usage);

const firstLine = (text: string): string => text.split('\n')[0] ?? '';
