// SPDX-License-Identifier: MIT
// The process: environment to configuration, build, listen, signals; nothing else.
import type { AddressInfo } from 'node:net'
import type { Service } from './app.ts'
import { type Config, readConfig, readUnknownNames } from './environment/config.ts'
import { newSetupToken, setupLink } from './features/session/setup.ts'
import type { App } from './http/app-types.ts'
import { explainFailure, explainListen } from './process/failures.ts'
import type { Leading } from './replicas/replica.ts'

/** Longer than any clean stop takes; then something hangs, and the supervisor should not wait for it. */
const STOP_WITHIN_MS = 5000
const SIGNALS = ['SIGTERM', 'SIGINT'] as const
/** Whoever starts it again makes it one that follows. */
const EX_TEMPFAIL = 75

/** A failure that is explained already. */
class Refused extends Error {}

let dataDir: string | undefined
try {
  for (const sentence of readUnknownNames()) tell(sentence)
  const config = readConfig()
  dataDir = config.dataDir
  // What is refused by its configuration need not load all the rest, which takes seconds.
  if (config.databaseUrl === null) await serve(config, null)
  else await serveAsReplica({ ...config, databaseUrl: config.databaseUrl })
} catch (error) {
  fail(error)
}

/** One of several, or the only one so far: it waits until it leads. */
async function serveAsReplica(config: Config & { databaseUrl: string }): Promise<void> {
  const { untilItLeads } = await import('./replicas/replica.ts')
  // It is compiled by the time it is wanted, in seconds or in months.
  void import('./app.ts')
  const waiting = new AbortController()
  const stop = () => waiting.abort()
  onSignals(stop)
  try {
    const leading = await untilItLeads(
      {
        config,
        now: Date.now,
        say: tell,
        onEnded: () => {
          tell(
            'The connection to PostgreSQL has ended, so another replica may lead. It ends; start it again.',
          )
          process.exit(EX_TEMPFAIL)
        },
      },
      waiting.signal,
    )
    for (const signal of SIGNALS) process.off(signal, stop)
    await serve(config, leading)
  } catch (error) {
    if (waiting.signal.aborted) process.exit(0)
    throw error
  }
}

async function serve(config: Config, leading: Leading | null): Promise<void> {
  await leading?.takeKeys()
  const { buildService } = await import('./app.ts')
  const service = await buildService(config, leading ? { store: leading.store } : {})
  await leading?.takeOver()
  await start(service, config, leading)
  const servers = { console: service.app.server, agents: service.agents.server }
  await leading?.lead(servers, (error) =>
    service.app.log.error({ err: error }, 'the replicas’ keys could not be looked at'),
  )
}

function onSignals(stop: (signal: string) => void): void {
  for (const signal of SIGNALS) process.once(signal, stop)
}

async function start(service: Service, config: Config, leading: Leading | null): Promise<void> {
  onSignals((signal: string) => {
    service.app.log.info(`${signal}: stopping`)
    setTimeout(() => process.exit(1), STOP_WITHIN_MS).unref()
    Promise.all([service.close(), leading?.close()]).then(() => process.exit(0), fail)
  })

  const { consoleCertificate } = service
  if (consoleCertificate) process.on('SIGHUP', () => void consoleCertificate.look(true))

  const { host, port, agent } = config
  const isPlain = config.agentTransport === 'insecure-http'
  const agents = await listen(service.agents, {
    host: agent.host,
    port: agent.port,
    variable: 'FARMSTEAD_AGENT_PORT',
    scheme: isPlain ? 'http' : 'https',
  })
  const console = await listen(service.app, {
    host,
    port,
    variable: 'FARMSTEAD_PORT',
    scheme: config.tls ? 'https' : 'http',
  })
  const address = `${console}${config.basePath}`
  const setupToken = await newSetupToken(service.services.write)
  const lines = [
    `Console and API  ${address}${config.consoleDir ? '' : '  (no console: FARMSTEAD_CONSOLE_DIR is not set)'}`,
    `Agents           ${agents}  (${isPlain ? 'insecure-http: unencrypted, for a network you trust' : 'mutual TLS'})`,
    ...(setupToken === null
      ? []
      : [
          `Set-up           ${setupLink(forBrowsers(address, config), setupToken)}  (makes the first administrator)`,
        ]),
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
}

type Where = { host: string; port: number; variable: string; scheme: string }

async function listen(app: App, { host, port, variable, scheme }: Where): Promise<string> {
  try {
    await app.listen({
      host,
      port,
      listenTextResolver: (address) => `Server listening at ${address.replace(/^https?/, scheme)}`,
    })
  } catch (error) {
    const explained = explainListen(error, { address: `${host}:${port}`, variable })
    throw explained ? new Refused(explained) : error
  }
  const bound = app.server.address() as AddressInfo
  return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${bound.port}`
}

/** Over HTTPS the certificate is good for the public name; "all addresses" is none to open in a browser. */
function forBrowsers(url: string, { tls, publicUrl, basePath }: Config): string {
  if (tls && publicUrl) return publicUrl + basePath
  return url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:')
}

function tell(text: string): void {
  process.stderr.write(`farmstead control plane: ${text}\n`)
}

function fail(error: unknown): never {
  const explained = error instanceof Refused ? error.message : explainFailure(error, dataDir)
  const stack = error instanceof Error ? error.stack : String(error)
  tell(explained ?? stack ?? '')
  process.exit(1)
}
