// SPDX-License-Identifier: MIT
// The table of contents.
import { Command } from 'commander'
import { visible } from '../base/terminal-text.ts'
import { createAct, type Process } from './command.ts'
import { registerAlerts } from './commands/alerts.ts'
import { registerApply } from './commands/apply.ts'
import { registerAudit } from './commands/audit.ts'
import { registerBackup } from './commands/backup.ts'
import { registerCertificateAuthorities } from './commands/certificate-authorities.ts'
import { registerCertificates } from './commands/certificates.ts'
import { registerCompareServers } from './commands/compare-servers.ts'
import { registerCompletion } from './commands/completion.ts'
import { registerConfigs } from './commands/configs.ts'
import { registerDnsWebhooks } from './commands/dns-webhooks.ts'
import { registerEdit } from './commands/edit.ts'
import { registerGet } from './commands/get.ts'
import { registerGroups } from './commands/groups.ts'
import { registerImport } from './commands/import.ts'
import { registerLoad } from './commands/load.ts'
import { registerMan } from './commands/man.ts'
import { registerNodes } from './commands/nodes.ts'
import { registerReleases } from './commands/releases.ts'
import { registerRemoval } from './commands/removal.ts'
import { registerRequests } from './commands/requests.ts'
import { registerRollout } from './commands/rollout.ts'
import { registerSession } from './commands/session.ts'
import { registerSites } from './commands/sites.ts'
import { registerTokens } from './commands/tokens.ts'
import { registerUsers } from './commands/users.ts'
import { registerVersions } from './commands/versions.ts'
import { registerWebhooks } from './commands/webhooks.ts'
import { EXIT_CODES_HELP } from './exit-codes.ts'

const ENVIRONMENT_HELP = `Environment:
  FARMSTEAD_URL, FARMSTEAD_TOKEN   control plane and token, instead of the current context's
  FARMSTEAD_CA_FILE                PEM of a CA to believe beside the system's
  VISUAL, EDITOR                   what "edit" opens
  FARMSTEAD_LOAD_BINARY            the program "load" runs, where it is not built here
  HTTPS_PROXY, HTTP_PROXY          the proxy on the way there, as http://proxy.example.org:3128
  NO_PROXY                         hosts that are reached without it
  NO_COLOR                         no colours`

/** Looked at before anything is understood: what is not understood is told as JSON, too. */
export function wantsJson(words: readonly string[]): boolean {
  if (words.includes('--json')) return true
  // Elsewhere -o names a file.
  if (!words.includes('get')) return false
  const isFormat = (word: string) => word === '-o' || word === '--output'
  return words.some(
    (word, at) =>
      word === '-ojson' ||
      word === '--output=json' ||
      (word === 'json' && isFormat(words[at - 1] ?? '')),
  )
}

export function createProgram(process: Process, { asJson = false } = {}): Command {
  const program = new Command('farmctl')
    .description(
      'Farmstead from the command line: everything the console does, for terminals and scripts.',
    )
    .version(process.version)
    .option('--context <name>', 'which control plane; see: farmctl context list')
    .option('--json', 'print one JSON document; errors too, on standard error')
    .option('-q, --quiet', 'print results only, no progress')
    .option('--no-color', 'no colours')
    .configureHelp({ showGlobalOptions: true, sortSubcommands: false })
    .configureOutput({
      writeOut: (text) => process.stdout.write(text),
      // As JSON it is told where everything else is, in main.ts.
      writeErr: (text) => {
        if (!asJson) process.stderr.write(visible(text))
      },
    })
    .exitOverride()
    .addHelpText('after', `\n${ENVIRONMENT_HELP}\n\n${EXIT_CODES_HELP}`)
  const act = createAct(process)
  registerSession(program, act)
  registerGet(program, act)
  const config = program.command('config').description('the same, by their long names; and more')
  for (const parent of [program, config]) {
    registerApply(parent, act)
    registerConfigs(parent, act)
    registerEdit(parent, act)
    registerImport(parent, act)
    registerVersions(parent, act)
  }
  registerRemoval(config, act)
  registerRollout(program, act)
  registerReleases(program, act)
  registerNodes(program, act)
  registerGroups(program, act)
  registerTokens(program, act)
  registerUsers(program, act)
  registerAudit(program, act)
  registerSites(program, act)
  registerRequests(program, act)
  registerCertificates(program, act)
  registerCertificateAuthorities(program, act)
  registerDnsWebhooks(program, act)
  registerWebhooks(program, act)
  registerAlerts(program, act)
  registerBackup(program, act)
  registerLoad(program, act)
  registerCompareServers(program, act)
  registerCompletion(program, act)
  registerMan(program, act)
  return program
}
