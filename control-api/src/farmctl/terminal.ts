// SPDX-License-Identifier: MIT
// What people see and type. Results go to standard output and nothing else does, so that they can be
// piped; everything said meanwhile goes to standard error.
import { createInterface, type Interface } from 'node:readline'
import { Writable } from 'node:stream'
import { styleText } from 'node:util'
import { visible, visibleButFor } from '../base/terminal-text.ts'
import { EXIT } from './exit-codes.ts'
import { Failure } from './failures.ts'
import { textOf } from './read-text.ts'
import { cutTo } from './table.ts'

export type Streams = {
  stdin: NodeJS.ReadStream
  stdout: NodeJS.WriteStream
  stderr: NodeJS.WriteStream
}
type Options = Streams & { quiet: boolean; color: boolean; stop: AbortSignal }

const ERASE_LINE = '\r\u001b[K'

export class Terminal {
  readonly #options: Options
  #lines: AsyncIterator<string> | null = null
  #hasProgress = false
  /** Chunks end within letters. */
  readonly #decoder = new TextDecoder()
  /** The colours that `style` gave out. */
  readonly #ownColours = new Set<string>()

  constructor(options: Options) {
    this.#options = options
  }

  /** Somebody is there to answer. */
  get isInteractive(): boolean {
    return this.#options.stdin.isTTY && this.#options.stderr.isTTY
  }

  print(text: string): void {
    this.#endProgress()
    const shown = this.#shown(text)
    this.#options.stdout.write(shown.endsWith('\n') ? shown : `${shown}\n`)
  }

  /** For programs: as it is, unless somebody looks at it. */
  printJson(value: unknown): void {
    this.#endProgress()
    const text = JSON.stringify(value, null, 2)
    const { stdout } = this.#options
    stdout.write(`${stdout.isTTY ? visible(text) : text}\n`)
  }

  /** Bytes as they are, into a file or a pipe. On a terminal nothing in them steers it. */
  write(bytes: string | Uint8Array): Promise<void> {
    const { stdout } = this.#options
    const text = typeof bytes === 'string' ? bytes : this.#decoder.decode(bytes, { stream: true })
    return new Promise((done) => {
      stdout.write(stdout.isTTY ? visible(text) : bytes, () => done())
    })
  }

  note(text: string): void {
    this.#endProgress()
    if (!this.#options.quiet) this.#options.stderr.write(`${this.#shown(text)}\n`)
  }

  error(text: string): void {
    this.#endProgress()
    this.#options.stderr.write(`${this.#shown(text)}\n`)
  }

  /** One line that is written over on a terminal; elsewhere a line each time. */
  progress(text: string): void {
    const { stderr, quiet } = this.#options
    const line = visible(text)
    if (quiet) return
    if (!stderr.isTTY) {
      stderr.write(`${line}\n`)
      return
    }
    stderr.write(`${ERASE_LINE}${cutTo(Math.max(20, stderr.columns - 1), line)}`)
    this.#hasProgress = true
  }

  style(format: Parameters<typeof styleText>[0], text: string): string {
    if (!this.#options.color) return text
    for (const colour of styleText(format, 'x', { validateStream: false }).split('x')) {
      this.#ownColours.add(colour)
    }
    return styleText(format, visible(text), { validateStream: false })
  }

  #shown(text: string): string {
    return visibleButFor(text, this.#ownColours)
  }

  /** On a terminal only: nothing is agreed to by a pipe. */
  async confirm(question: string): Promise<boolean> {
    if (!this.isInteractive) {
      throw new Failure('Nothing was done: there is no terminal to ask on. Add --yes to go ahead.')
    }
    return /^y(es)?$/i.test((await this.#askLine(`${question} [y/N] `)).trim())
  }

  /** Standard input's next line, asked for when somebody is there. */
  async ask(question: string): Promise<string> {
    return this.isInteractive ? this.#askLine(question) : this.#nextLine(question)
  }

  async askSecret(question: string): Promise<string> {
    return this.isInteractive ? this.#askHidden(question) : this.#nextLine(question)
  }

  async readAll(): Promise<string> {
    const chunks: Buffer[] = []
    // Text already where a question was asked before.
    for await (const chunk of this.#options.stdin) chunks.push(Buffer.from(chunk))
    return textOf(Buffer.concat(chunks), '-')
  }

  #endProgress(): void {
    if (this.#hasProgress) this.#options.stderr.write('\n')
    this.#hasProgress = false
  }

  async #nextLine(question: string): Promise<string> {
    this.#lines ??= this.#open()[Symbol.asyncIterator]()
    const { value, done } = await this.#lines.next()
    if (!done) return value
    throw new Failure(`"${question.trim()}" was asked, and standard input had no more lines.`)
  }

  #open(output: NodeJS.WritableStream = this.#options.stderr): Interface {
    const { stdin } = this.#options
    return createInterface({ input: stdin, output, terminal: stdin.isTTY, historySize: 0 })
  }

  #askLine(question: string, output?: NodeJS.WritableStream): Promise<string> {
    this.#endProgress()
    const { promise, resolve, reject } = Promise.withResolvers<string>()
    const reader = this.#open(output)
    reader.once('SIGINT', () => reject(interrupted()))
    reader.once('close', () => reject(interrupted()))
    reader.question(visible(question), resolve)
    return promise.finally(() => reader.close())
  }

  /** Typed and mended as any line; what would be shown of it goes nowhere. */
  #askHidden(question: string): Promise<string> {
    const { stderr } = this.#options
    const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
    const answer = this.#askLine('', nowhere)
    stderr.write(visible(question))
    return answer.finally(() => stderr.write('\n'))
  }
}

export const interrupted = () => new Failure('Ended. Nothing more was done.', EXIT.interrupted)
