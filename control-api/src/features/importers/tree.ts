// SPDX-License-Identifier: MIT
// What a config of another server is read into: directives, each with the place where it stands. Pure, so that farmctl
// can find on its user's machine what a file includes.

export type Place = { file: string; line: number; column: number }
export type Word = { text: string; isQuoted: boolean }
export type Directive = Place & {
  name: string
  words: readonly Word[]
  /** null: it ends with its words. */
  block: Directive[] | null
}

/** Files by name; null: there is none of that name. */
export type ReadFile = (path: string) => string | null
/** Names of the files that a pattern with stars means, sorted. */
export type FindFiles = (pattern: string) => string[]
/** Files of one name in a folder and in those below it, sorted. */
export type FindBelow = (folder: string, name: string) => string[]
export type Source = { read: ReadFile; find: FindFiles; below: FindBelow }

/** Of one import, whatever it includes: no text keeps the service busy for long. */
export const MOST_DIRECTIVES = 20_000
/** As often as a file is included it is read. */
export const MOST_READ = 8 * 1_048_576
export const DEEPEST_BLOCKS = 32
export const DEEPEST_INCLUDES = 16

/** The text can't be read as this language; the old server would not start with it. */
export class Unreadable extends Error {
  readonly place: Place
  /** Of a directive no more than where it stands. */
  constructor({ file, line, column }: Place, message: string) {
    super(message)
    this.name = 'Unreadable'
    this.place = { file, line, column }
  }
}

export const argsOf = ({ words }: Directive): string[] => words.map(({ text }) => text)

export function* everyDirective(tree: readonly Directive[]): Generator<Directive> {
  for (const directive of tree) {
    yield directive
    if (directive.block) yield* everyDirective(directive.block)
  }
}
