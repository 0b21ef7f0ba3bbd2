// SPDX-License-Identifier: MIT
// Where a reader is in the text of a file, as people count: by lines and columns. Pure.
import type { Place } from './tree.ts'

export class Cursor {
  readonly text: string
  readonly #file: string
  #at = 0
  #line = 1
  #lineStart = 0
  /** Where the line feed of this line stands: looked for once, so that long lines take no longer. */
  #lineEnd = 0

  constructor(text: string, file: string) {
    this.text = text
    this.#file = file
    this.#lineEnd = this.#endFrom(0)
  }

  get at(): number {
    return this.#at
  }

  get place(): Place {
    return { file: this.#file, line: this.#line, column: this.#at - this.#lineStart + 1 }
  }

  /** The character here; undefined: the text ends. */
  get character(): string | undefined {
    return this.text[this.#at]
  }

  /** By default over one character. */
  goTo(at: number = this.#at + 1): void {
    this.#at = at
    while (this.#at > this.#lineEnd) {
      this.#line++
      this.#lineStart = this.#lineEnd + 1
      this.#lineEnd = this.#endFrom(this.#lineStart)
    }
  }

  #endFrom(at: number): number {
    const end = this.text.indexOf('\n', at)
    return end < 0 ? Number.POSITIVE_INFINITY : end
  }
}
