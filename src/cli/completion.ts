import { Argument, type Command } from 'commander';
import { COMPLETION_SHELLS, type CompletionShell, completionScriptFor } from './completion/shells.ts';
import { listCommandNodes } from './completion/tree.ts';

/** Registers `energy completion bash|zsh|fish`, which prints a completion script made from the program's own command tree. */
export function register(program: Command): void {
  program
    .command('completion')
    .addArgument(new Argument('<shell>', 'name of the shell').choices(COMPLETION_SHELLS))
    .action((shell: CompletionShell) => {
      process.stdout.write(completionScriptFor(shell, listCommandNodes(program)));
    });
}
