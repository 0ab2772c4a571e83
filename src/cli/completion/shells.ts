import type { CommandNode, CompletionWord, OptionValueCompletion } from './tree.ts';

export const COMPLETION_SHELLS = ['bash', 'zsh', 'fish'] as const;
export type CompletionShell = (typeof COMPLETION_SHELLS)[number];

/** Returns a shell script that completes `energy` without starting it. Pure. */
export const completionScriptFor = (shell: CompletionShell, places: readonly CommandNode[]): string =>
  SCRIPTS[shell](places);

/** Quotes a text in single quotes, inside which bash, zsh and fish interpret no characters once quotes and backslashes are replaced. */
const quoted = (text: string): string => `'${text.replaceAll("'", '’').replaceAll('\\', '/')}'`;

/** Returns the key of a command in the scripts, such as ` users list`; the key of the program itself is empty. */
const keyOf = ({ path }: CommandNode): string => path.map((word) => ` ${word}`).join('');
const keys = (places: readonly CommandNode[]): string =>
  places
    .filter(({ path }) => path.length > 0)
    .map((place) => quoted(keyOf(place)))
    .join('|');
const wordsOf = (words: readonly CompletionWord[]): string => words.map(({ word }) => word).join(' ');

/** Returns the shell's `case` branches for the values of options, such as ` devices create --placement`. */
function cases(
  places: readonly CommandNode[],
  say: { words(list: readonly string[]): string; file: string; unknown: string },
): string {
  const said = (taken: OptionValueCompletion) =>
    'words' in taken ? say.words(taken.words) : taken.is === 'file' ? say.file : say.unknown;
  return places
    .flatMap((place) =>
      place.taken.map((one) => `    ${quoted(`${keyOf(place)} ${one.option}`)}) ${said(one)}; return ;;`),
    )
    .join('\n');
}

function bash(places: readonly CommandNode[]): string {
  const reply = (words: string) => `COMPREPLY=($(compgen -W ${words} -- "$current"))`;
  const files = 'compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- "$current"))';
  const here = places.map((place) => {
    const both = reply(quoted(`${wordsOf(place.commands)} ${wordsOf(place.options)}`.trim()));
    const noOption = place.takesFiles ? files : reply(quoted(wordsOf(place.commands)));
    return `    ${quoted(keyOf(place))}) if [[ $current == -* ]]; then ${both}; else ${noOption}; fi ;;`;
  });
  return `# Completion of energy for bash: source <(energy completion bash)
_energy() {
  local current=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} at='' index
  for ((index = 1; index < COMP_CWORD; index++)); do
    case "$at \${COMP_WORDS[index]}" in
    ${keys(places)}) at+=" \${COMP_WORDS[index]}" ;;
    esac
  done
  COMPREPLY=()
  case "$at $before" in
${cases(places, { words: (list) => reply(quoted(list.join(' '))), file: files, unknown: ':' })}
  esac
  case "$at" in
${here.join('\n')}
  esac
}
complete -F _energy energy
`;
}

function zsh(places: readonly CommandNode[]): string {
  const described = (words: readonly CompletionWord[]) =>
    words.map(({ word, description }) => quoted(`${word.replaceAll(':', '\\:')}:${description}`)).join(' ');
  const here = places.map((place) => {
    const files = place.takesFiles ? ' files=1;' : '';
    return `    ${quoted(keyOf(place))})${files} commands=(${described(place.commands)}); options=(${described(place.options)}) ;;`;
  });
  return `#compdef energy
# Completion of energy for zsh: source <(energy completion zsh), after compinit
_energy() {
  local at='' index files=''
  local -a commands options
  for ((index = 2; index < CURRENT; index++)); do
    case "$at \${words[index]}" in
    ${keys(places)}) at+=" \${words[index]}" ;;
    esac
  done
  case "$at \${words[CURRENT-1]}" in
${cases(places, { words: (list) => `compadd -- ${list.map(quoted).join(' ')}`, file: '_files', unknown: ':' })}
  esac
  case "$at" in
${here.join('\n')}
  esac
  if [[ -n $files && \${words[CURRENT]} != -* ]]; then _files; return; fi
  if [[ \${words[CURRENT]} == -* ]]; then _describe -o option options; else _describe command commands; fi
}
if [[ \${funcstack[1]} == _energy ]]; then _energy "$@"; else compdef _energy energy; fi
`;
}

function fish(places: readonly CommandNode[]): string {
  const at = (place: CommandNode) => `-n ${quoted(`__energy_at "${keyOf(place)}"`)}`;
  const lines = places.flatMap((place) => {
    const kinds = new Map(place.taken.map((one) => [one.option, one]));
    const commands = place.commands.map(
      ({ word, description }) => `complete -c energy ${at(place)} -a ${word} -d ${quoted(description)}`,
    );
    const options = place.options.map(({ word, description }) => {
      const one = kinds.get(word);
      const takes =
        one === undefined
          ? ''
          : 'words' in one
            ? ` -x -a ${quoted(one.words.join(' '))}`
            : one.is === 'file'
              ? ' -r -F'
              : ' -x';
      return `complete -c energy ${at(place)} -l ${word.replace(/^--/, '')}${takes} -d ${quoted(description)}`;
    });
    return [...commands, ...options, ...(place.takesFiles ? [`complete -c energy ${at(place)} -F`] : [])];
  });
  return `# Completion of energy for fish: energy completion fish | source
set -g __energy_places ${keys(places).replaceAll('|', ' ')}
function __energy_at
    set -l at ''
    for word in (commandline -opc)[2..]
        if contains -- "$at $word" $__energy_places
            set at "$at $word"
        end
    end
    test "$at" = "$argv[1]"
end
complete -c energy -f
${lines.join('\n')}
`;
}

const SCRIPTS: Record<CompletionShell, (places: readonly CommandNode[]) => string> = { bash, zsh, fish };
