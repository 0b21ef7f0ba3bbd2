// SPDX-License-Identifier: MIT
// Completion for shells: small scripts that ask farmctl itself, which reads its own tree of commands.
import type { Command } from 'commander'
import type { Act } from '../command.ts'
import { Failure } from '../failures.ts'
import { RESOURCES } from '../resources.ts'
import { examples } from './examples.ts'

const SCRIPTS: Record<string, string> = {
  bash: `_farmctl() {
  local IFS=$'\\n'
  COMPREPLY=($(compgen -W "$(farmctl complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _farmctl farmctl`,
  zsh: `#compdef farmctl
_farmctl() {
  local -a found
  found=("\${(@f)$(farmctl complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  compadd -- \${found:#}  || _files
}
compdef _farmctl farmctl`,
  fish: `function __farmctl
  set -l words (commandline -opc) (commandline -ct)
  farmctl complete -- $words[2..-1] 2>/dev/null
end
complete -c farmctl -a '(__farmctl)'`,
}

export function registerCompletion(program: Command, act: Act): void {
  const completion = program
    .command('completion')
    .summary('a script that completes farmctl in your shell')
    .description(
      'Print a script that completes farmctl’s commands, options and kinds in your shell.',
    )
    .argument('<shell>', Object.keys(SCRIPTS).join(', '))
  examples(completion, [
    'source <(farmctl completion bash)      # in ~/.bashrc',
    'source <(farmctl completion zsh)       # in ~/.zshrc',
    'farmctl completion fish > ~/.config/fish/completions/farmctl.fish',
  ])
  act(completion, async (tool, _options, shell = '') => {
    const script = SCRIPTS[shell]
    if (!script)
      throw new Failure(
        `There is no completion for "${shell}": choose of ${Object.keys(SCRIPTS).join(', ')}.`,
      )
    tool.terminal.print(script)
  })

  const complete = program
    .command('complete', { hidden: true })
    .argument('[words...]')
    .allowUnknownOption()
  act(complete, async (tool, _options, words: unknown = []) => {
    tool.terminal.print(candidates(program, words as string[]).join('\n'))
  })
}

/** What may stand where the last word is begun. */
export function candidates(program: Command, words: readonly string[]): string[] {
  const [last = '', before] = [words.at(-1), words.slice(0, -1)]
  let command = program
  for (const word of before) command = childOf(command, word) ?? command
  const options = [...command.options, ...program.options]
  const option = options.find(({ long, short }) => [long, short].includes(before.at(-1) ?? ''))
  if (option && (option.required || option.optional)) return option.argChoices ?? []
  const found = last.startsWith('-')
    ? options.flatMap(({ long }) => long ?? [])
    : [...command.commands.filter(isShown).map((one) => one.name()), ...kindsOf(command)]
  return found.filter((word) => word.startsWith(last))
}

const childOf = (command: Command, name: string) =>
  command.commands.find((one) => one.name() === name)
const isShown = (command: Command) => command.name() !== 'complete'
const kindsOf = (command: Command) =>
  ['get', 'describe'].includes(command.name()) ? RESOURCES.flatMap(({ names }) => names[0]) : []
