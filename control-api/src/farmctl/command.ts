// SPDX-License-Identifier: MIT
// What every command gets, and how it is put together from what was typed and what is in the environment.
import type { Command } from 'commander'
import { type Api, connect } from './api.ts'
import { bearer, type Context, Contexts, type Environment } from './contexts.ts'
import { EXIT } from './exit-codes.ts'
import { Failure } from './failures.ts'
import { type Streams, Terminal } from './terminal.ts'

export type GlobalOptions = {
  context?: string
  json?: boolean
  quiet?: boolean
  /** false with --no-color. */
  color: boolean
}
export type Process = Streams & {
  env: Environment
  version: string
  /** Aborted by Ctrl-C. */
  stop: AbortSignal
}
export type Tool = {
  process: Process
  terminal: Terminal
  contexts: Contexts
  stop: AbortSignal
  /** One document on standard output, for programs. */
  json: boolean
  /** Speaks to the chosen control plane, signed in. */
  api(): Api
  /** Speaks to one of them as somebody else, or as nobody. */
  apiOf(context: Pick<Context, 'url' | 'caFile'>, headers: Record<string, string>): Api
  /** The result: JSON when it was asked for, else these lines. */
  show(value: unknown, lines: () => readonly string[]): void
}

export type Handler<Options> = (tool: Tool, options: Options, ...args: string[]) => Promise<void>
/** Gives a command its action; commands know nothing of how tools are made. */
export type Act = <Options>(command: Command, handler: Handler<Options>) => void

export const createAct =
  (process: Process): Act =>
  (command, handler) => {
    command.action(async () => {
      const options = command.optsWithGlobals()
      const tool = createTool(process, options as GlobalOptions)
      await handler(tool, options as never, ...command.processedArgs)
    })
  }

export function createTool(process: Process, options: GlobalOptions): Tool {
  const { env, stop, version, stdout } = process
  const json = options.json ?? false
  const color = options.color && !env.NO_COLOR && stdout.isTTY && env.TERM !== 'dumb'
  const terminal = new Terminal({ ...process, quiet: options.quiet ?? false, color })
  const contexts = new Contexts(env)
  const apiOf: Tool['apiOf'] = ({ url, caFile }, headers) =>
    connect({ url, caFile, headers, version, stop, hasProxy: hasProxy(env) })
  const api = () => {
    const { name, context } = contexts.choose(options.context)
    if (!context.token) {
      throw new Failure(
        `You are signed out of ${name}. Run: farmctl login ${context.url}`,
        EXIT.denied,
      )
    }
    return apiOf(context, bearer(context.token.secret))
  }
  const show = (value: unknown, lines: () => readonly string[]) =>
    json ? terminal.printJson(value) : terminal.print(lines().join('\n'))
  return { process, terminal, contexts, stop, json, api, apiOf, show }
}

const PROXIES = ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY']
const hasProxy = (env: Environment) =>
  Boolean(env.NODE_USE_ENV_PROXY) && PROXIES.some((name) => env[name])

/** Asked on a terminal unless --yes was given; no: nothing is done. */
export async function agree({ terminal }: Tool, yes: boolean | undefined, question: string) {
  if (yes || (await terminal.confirm(question))) return
  throw new Failure('Nothing was done.')
}
