// SPDX-License-Identifier: MIT
// Who may sign in, and as what.
import type { Command } from 'commander'
import { type Api, bodyOf, taggedBodyOf } from '../api.ts'
import type { NewUser, User, UserPatch } from '../api-types.ts'
import { type Act, agree, type Tool } from '../command.ts'
import { Failure } from '../failures.ts'
import { resourceOf } from '../resources.ts'
import { examples } from './examples.ts'

type Roles = NewUser['roles']
type CreateOptions = { role?: Roles; scope?: string }
type ChangeOptions = CreateOptions & { disable?: boolean; enable?: boolean; wholeFarm?: boolean }
type Sure = { yes?: boolean }

const USER = 'user name or id'

export function registerUsers(program: Command, act: Act): void {
  const users = program.command('users').description('who may sign in, and as what')
  const create = users
    .command('create')
    .description('make a user, and print a password that is good for signing in once')
    .argument('<name>', 'user name')
    .requiredOption('--role <role>', 'repeat for more: see docs/permissions.md', gather)
    .option('--scope <selector>', 'only for nodes with these labels')
  examples(create, ['farmctl users create alice --role operator --role editor --scope zone=eu'])
  act<CreateOptions>(create, async (tool, { role = [], scope }, username = '') => {
    const body = { username, roles: role, ...(scope !== undefined && { scope }) }
    const made = await bodyOf(tool.api().POST('/api/v1/users', { body }))
    tool.terminal.note(`${username} signs in with this once, then chooses another:`)
    tool.show(made, () => [made.oneTimePassword])
  })

  const change = users
    .command('change')
    .description('change roles, scope, or whether they may sign in')
    .argument('<user>', USER)
    .option('--role <role>', 'these instead of the ones they have; repeat for more', gather)
    .option('--scope <selector>', 'only for nodes with these labels')
    .option('--whole-farm', 'for all nodes')
    .option('--disable', 'they may not sign in')
    .option('--enable', 'they may')
  examples(change, [
    'farmctl users change alice --role viewer',
    'farmctl users change bob --disable',
  ])
  act<ChangeOptions>(change, changeUser)

  const reset = users
    .command('reset-password')
    .description('give them a password that is good for signing in once')
    .argument('<user>', USER)
    .option('-y, --yes', 'do not ask')
  examples(reset, ['farmctl users reset-password alice'])
  act<Sure>(reset, async (tool, { yes }, name = '') => {
    const api = tool.api()
    const path = { id: (await findUser(api, name)).id }
    await agree(tool, yes, `End the sessions of ${name} and give them a new password?`)
    const params = { path }
    const made = await bodyOf(api.POST('/api/v1/users/{id}/actions/reset-password', { params }))
    tool.show(made, () => [made.oneTimePassword])
  })

  const end = users
    .command('end-sessions')
    .description('sign them out everywhere; their tokens stay')
    .argument('<user>', USER)
    .option('-y, --yes', 'do not ask')
  examples(end, ['farmctl users end-sessions alice'])
  act<Sure>(end, async (tool, { yes }, name = '') => {
    const api = tool.api()
    const path = { id: (await findUser(api, name)).id }
    await agree(tool, yes, `Sign ${name} out everywhere?`)
    await api.POST('/api/v1/users/{id}/actions/end-sessions', { params: { path } })
    tool.show({ user: name, ended: true }, () => [`${name} is signed out everywhere.`])
  })

  const factor = users
    .command('reset-second-factor')
    .description('take their second factor away, when its device is lost')
    .argument('<user>', USER)
    .option('-y, --yes', 'do not ask')
  examples(factor, ['farmctl users reset-second-factor alice'])
  act<Sure>(factor, async (tool, { yes }, name = '') => {
    const api = tool.api()
    const path = { id: (await findUser(api, name)).id }
    await agree(tool, yes, `Take the second factor of ${name} away?`)
    await api.POST('/api/v1/users/{id}/actions/reset-second-factor', { params: { path } })
    tool.show({ user: name, reset: true }, () => [`${name} signs in without a second factor.`])
  })

  const remove = users
    .command('remove')
    .description('remove a user; their name stays in histories')
    .argument('<user>', USER)
    .option('-y, --yes', 'do not ask')
  examples(remove, ['farmctl users remove alice'])
  act<Sure>(remove, removeUser)
}

const gather = (role: string, roles: string[] = []) => [...roles, role]

const findUser = (api: Api, name: string) =>
  resourceOf('users').one(api, name, {
    selector: '',
    of: undefined,
    limit: undefined,
  }) as Promise<User>

async function taggedUser(api: Api, name: string) {
  const path = { id: (await findUser(api, name)).id }
  const { etag } = await taggedBodyOf(api.GET('/api/v1/users/{id}', { params: { path } }))
  return { path, header: { 'if-match': etag } }
}

async function changeUser(tool: Tool, options: ChangeOptions, name = ''): Promise<void> {
  const api = tool.api()
  const body = patchOf(options)
  const params = await taggedUser(api, name)
  const user = await bodyOf(api.PATCH('/api/v1/users/{id}', { params, body }))
  const { username, roles, scope, disabled } = user
  tool.show(user, () => [
    `${username}: ${roles.join(', ')} for ${scope ?? 'the whole farm'}${disabled ? ', disabled' : ''}`,
  ])
}

function patchOf({ role, scope, wholeFarm, disable, enable }: ChangeOptions): UserPatch {
  if (disable && enable) throw new Failure('--disable and --enable exclude each other.')
  return {
    ...(role && { roles: role }),
    ...(wholeFarm ? { scope: null } : scope !== undefined && { scope }),
    ...((disable || enable) && { disabled: disable === true }),
  }
}

async function removeUser(tool: Tool, { yes }: Sure, name = ''): Promise<void> {
  const api = tool.api()
  const params = await taggedUser(api, name)
  await agree(tool, yes, `Remove ${name}?`)
  await api.DELETE('/api/v1/users/{id}', { params })
  tool.show({ removed: name }, () => [`${name} is removed.`])
}
