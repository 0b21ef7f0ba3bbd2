// SPDX-License-Identifier: MIT
// The program behind `npm start`: starts the farm, says where everything is, stops it on Ctrl-C.
import { runMain } from '../setup/run-main.mjs'
import { seconds } from '../setup/steps.mjs'
import { Farm } from './farm.ts'
import type { Death } from './managed-process.ts'
import { farmHome, farmPorts } from './options.ts'

const say = (line: string) => {
  process.stdout.write(`${line}\n`)
}

function reportDeath({ name, how, logTail, restartInMs }: Death): void {
  const indented = logTail.replace(/^/gm, '    ')
  say(
    `\n${name} ${how}; starting it again in ${restartInMs / 1000} s. Its last lines:\n${indented}`,
  )
}

function welcome(farm: Farm): void {
  const sites = farm.nodes.map(({ name, url }) => `  ${name}     ${url}`).join('\n')
  const wayIn = farm.setupLink
    ? `Set-up     ${farm.setupLink}   (makes the first administrator)`
    : 'Sign in    as you set it up'
  const chosenPorts = process.env.FARMSTEAD_NODE_PORTS
  const traffic = `${chosenPorts ? `FARMSTEAD_NODE_PORTS=${chosenPorts} ` : ''}npm run traffic`
  say(`
The farm runs.

  Console    ${farm.consoleUrl}
  ${wayIn}

${sites}

  Logs       ${farm.home}/logs
  Traffic    ${traffic}   (in another terminal; makes the charts live)
  Stop       Ctrl-C
`)
}

/** Resolves at the first reason to stop: a signal, or the end of the process that started us. */
function askedToStop(): Promise<string> {
  return new Promise((resolve) => {
    process.on('SIGINT', () => resolve('Ctrl-C'))
    process.on('SIGTERM', () => resolve('SIGTERM'))
    process.on('SIGHUP', () => resolve('the terminal was closed'))
    process.on('disconnect', () => resolve('npm start ended'))
  })
}

async function stop(farm: Farm, reason: string): Promise<void> {
  const startedAt = performance.now()
  say(`\nStopping (${reason}) …`)
  await farm.stop()
  say(`Stopped in ${seconds(startedAt)}; "npm start" goes on from here.`)
}

await runMain(async () => {
  // A closed terminal breaks our output, which must not keep us from stopping the children.
  process.stdout.on('error', () => {})
  process.stderr.on('error', () => {})
  const farm = new Farm({
    home: farmHome(process.env),
    ports: farmPorts(process.env),
    report: say,
    onDeath: reportDeath,
  })
  const starting = new AbortController()
  const stopping = askedToStop().then((reason) => {
    starting.abort()
    return reason
  })
  try {
    await farm.start(starting.signal)
    welcome(farm)
  } catch (error) {
    if (!starting.signal.aborted) throw error
    say(`\nStopped while starting (${await stopping}).`)
    return 0
  }
  await stop(farm, await stopping)
  return 0
})
process.disconnect?.()
