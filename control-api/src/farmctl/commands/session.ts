// SPDX-License-Identifier: MIT
// login, logout and context: which control plane, as whom.
import { hostname } from 'node:os'
import type { Command } from 'commander'
import { type Api, bodyOf } from '../api.ts'
import type { Session } from '../api-types.ts'
import type { Act, GlobalOptions, Tool } from '../command.ts'
import { bearer, type Context, normalUrl } from '../contexts.ts'
import { EXIT } from '../exit-codes.ts'
import { Failure, isApiError } from '../failures.ts'
import { tableLines } from '../table.ts'
import { examples } from './examples.ts'

type LoginOptions = GlobalOptions & {
  name?: string
  user?: string
  token?: string
  caFile?: string
  expiresInDays: string
}

const LIFE_DAYS = '30'

export function registerSession(program: Command, act: Act): void {
  const login = program
    .command('login')
    .summary('sign in, and keep a token of farmctl’s own')
    .description(
      'Sign in with name and password (and the second factor’s code), make an API token for this machine and keep only that. The password is neither kept nor taken from the command line; where standard input is no terminal, its lines are the answers.',
    )
    .argument('[url]', 'the console’s address; without it, the current context’s')
    .option('--name <context>', 'what to call this control plane; else its host')
    .option('--user <name>', 'user name; else it is asked')
    .option(
      '--token <token>',
      'keep this token instead of signing in: only "-", from standard input',
    )
    .option('--ca-file <file>', 'PEM of a CA to believe beside the system’s')
    .option('--expires-in-days <n>', 'how long the token is good, 1 to 365', LIFE_DAYS)
  examples(login, [
    'farmctl login https://farm.example.org',
    'farmctl login https://farm.example.org --ca-file ca.pem --name staging',
    'farmctl login https://farm.example.org --token - < token.txt',
  ])
  act<LoginOptions>(login, signIn)

  const logout = program
    .command('logout')
    .summary('revoke farmctl’s token and forget it')
    .description(
      'Revoke the token of the current context on the control plane, and forget it here.',
    )
  examples(logout, ['farmctl logout', 'farmctl logout --context staging'])
  act<GlobalOptions>(logout, signOut)
  registerContext(program, act)
}

async function signIn(tool: Tool, options: LoginOptions, address?: string): Promise<void> {
  const { token, caFile = null } = options
  const known = address === undefined ? tool.contexts.choose(options.context) : null
  const url = known ? known.context.url : normalUrl(address ?? '')
  const { env } = tool.process
  const ofEnvironment = env.FARMSTEAD_CA_FILE || null
  const where = { url, caFile: caFile ?? known?.context.caFile ?? ofEnvironment }
  if (token !== undefined && token !== '-') {
    throw new Failure(
      'A token on the command line is seen by everybody on this machine. Write --token - and pass it on standard input.',
    )
  }
  warnOfPlainHttp(tool, url)
  // Before a token is made: a file that cannot be read will not be written either.
  tool.contexts.read()
  const made = token === '-' ? await takeToken(tool, where) : await makeToken(tool, where, options)
  const name = options.name ?? known?.name ?? new URL(url).host
  const replaced = await storeOrRevoke(tool, name, { ...where, token: made })
  if (replaced?.id) await revoke(tool, { ...where, token: replaced })
  tool.show({ context: name, url, tokenId: made.id }, () => [
    `Signed in to ${url}. It is the current context, "${name}".`,
  ])
}

/** A token that nothing knows would be good for a month. The token that was there before is handed back. */
async function storeOrRevoke(tool: Tool, name: string, context: Context) {
  try {
    const replaced = tool.contexts.read().contexts[name]?.token
    tool.contexts.change((stored) => {
      stored.contexts[name] = context
      stored.current = name
    })
    return replaced
  } catch (error) {
    const isRevoked = await revoke(tool, context).catch(() => false)
    if (context.token?.id && !isRevoked) {
      tool.terminal.error(
        `farmctl: the token ${context.token.id} was made and could neither be kept nor revoked. Revoke it in the console.`,
      )
    }
    throw error
  }
}

type Where = Pick<Context, 'url' | 'caFile'>

async function takeToken(tool: Tool, where: Where) {
  const secret = (await tool.terminal.readAll()).trim()
  if (secret === '') throw new Failure('There was no token on standard input.')
  const api = tool.apiOf(where, bearer(secret))
  await bodyOf(api.GET('/api/v1/system'))
  return { id: null, secret }
}

async function makeToken(tool: Tool, where: Where, options: LoginOptions) {
  const { terminal } = tool
  const username = options.user ?? (await terminal.ask('User name: '))
  const password = await terminal.askSecret('Password: ')
  const { session, cookie } = await openSession(tool, where, { username, password })
  if (session.passwordChangeRequired) {
    throw new Failure(
      `That password was made for one use. Choose your own in the console first: ${where.url}`,
      EXIT.denied,
    )
  }
  const api = tool.apiOf(where, asPerson(cookie))
  try {
    const body = {
      name: `farmctl on ${hostname()}`.slice(0, 64).trim(),
      permissions: null,
      expiresInDays: Number(options.expiresInDays),
      password,
    }
    const { id, secret } = await bodyOf(api.POST('/api/v1/tokens', { body }))
    return { id, secret }
  } finally {
    // What was made is worth more than a session that ends by itself: this must not lose it.
    await api.DELETE('/api/v1/session').catch(() => {
      tool.terminal.note('The session that made the token could not be ended; it ends by itself.')
    })
  }
}

type Credentials = { username: string; password: string; code?: string }

async function openSession(tool: Tool, where: Where, credentials: Credentials) {
  const api = tool.apiOf(where, {})
  try {
    return await postSession(api, credentials)
  } catch (error) {
    if (!isApiError(error, 'second_factor_required')) throw error
    const code = (await tool.terminal.ask('Code of your second factor: ')).trim()
    return await postSession(api, { ...credentials, code })
  }
}

async function postSession(api: Api, body: Credentials) {
  const answer = await api.POST('/api/v1/session', { body })
  const session: Session = await bodyOf(Promise.resolve(answer))
  const cookies = answer.response.headers.getSetCookie().map((line) => line.split(';', 1)[0])
  return { session, cookie: cookies.join('; ') }
}

/** What browsers say of a request that a person made: scripts with a cookie must say where they stand. */
const asPerson = (cookie: string) => ({ cookie, 'sec-fetch-site': 'none' })

function warnOfPlainHttp({ terminal }: Tool, url: string): void {
  const { protocol, hostname: host } = new URL(url)
  if (protocol === 'http:' && !/^(localhost|127\.[\d.]+|\[::1\])$/.test(host)) {
    terminal.error(
      `farmctl: ${url} is not encrypted: whoever listens on the way reads the password.`,
    )
  }
}

async function signOut(tool: Tool, options: GlobalOptions): Promise<void> {
  const { name, context } = tool.contexts.choose(options.context)
  const isRevoked = await revoke(tool, context)
  tool.contexts.change(({ contexts }) => {
    const stored = contexts[name]
    if (stored) stored.token = null
  })
  tool.show({ context: name, revoked: isRevoked }, () => [
    isRevoked
      ? `Signed out of ${name}: the token is revoked.`
      : `Signed out of ${name}. The token was brought from elsewhere or gone already: nothing was revoked.`,
  ])
}

/** With itself. false: it is not farmctl's to revoke, or was dead already. */
async function revoke(tool: Tool, { url, caFile, token }: Context): Promise<boolean> {
  if (!token?.id) return false
  try {
    const params = { path: { id: token.id } }
    await tool
      .apiOf({ url, caFile }, bearer(token.secret))
      .DELETE('/api/v1/tokens/{id}', { params })
    return true
  } catch (error) {
    if (isApiError(error, 401, 404)) return false
    throw error
  }
}

function registerContext(program: Command, act: Act): void {
  const context = program.command('context').description('the control planes farmctl knows')
  const list = context.command('list').description('all of them; the current one has a star')
  examples(list, ['farmctl context list'])
  act(list, async (tool) => {
    const { current, contexts } = tool.contexts.read()
    const items = Object.entries(contexts).map(([name, { url, token, caFile }]) => ({
      name,
      url,
      caFile,
      isCurrent: name === current,
      isSignedIn: token !== null,
    }))
    const row = ({ name, url, isCurrent, isSignedIn }: (typeof items)[number]) => [
      isCurrent ? '*' : '',
      name,
      url,
      isSignedIn ? 'yes' : 'no',
    ]
    tool.show({ items }, () => tableLines(['CURRENT', 'NAME', 'URL', 'SIGNED IN'], items.map(row)))
  })

  const use = context
    .command('use')
    .description('make it the current one')
    .argument('<name>', 'as in the list')
  examples(use, ['farmctl context use staging'])
  act(use, async (tool, _options, name = '') => {
    tool.contexts.choose(name)
    tool.contexts.change((stored) => {
      stored.current = name
    })
    tool.show({ current: name }, () => [`${name} is the current context.`])
  })

  const remove = context
    .command('remove')
    .description('forget it; its token is revoked first')
    .argument('<name>', 'as in the list')
  examples(remove, ['farmctl context remove staging'])
  act(remove, async (tool, _options, name = '') => {
    await revoke(tool, tool.contexts.choose(name).context)
    tool.contexts.change((stored) => {
      delete stored.contexts[name]
      if (stored.current === name) stored.current = null
    })
    tool.show({ removed: name }, () => [`${name} is forgotten.`])
  })
}
