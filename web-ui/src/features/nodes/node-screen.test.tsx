// SPDX-License-Identifier: MIT
// A node's page: who it is, what was changed on its machine, and what its machine tells.
import { cleanup, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, test } from 'vitest'
import type { NodeDetail } from '../../lib/api-types.ts'
import { json, never, problem } from '../../test/fake-api.ts'
import { openNode } from '../../test/open-node.ts'
import { sayChanged } from '../../test/render-app.tsx'
import { createdToken, drift, host, node, page, session } from '../../test/samples.ts'

const { id, identity } = node()
const empty = () => new Response(null, { status: 204 })

const panel = async (name: string) => within(await screen.findByRole('region', { name }))
const press = async (name: string | RegExp) =>
  await userEvent.click(await screen.findByRole('button', { name }))

test('an address that is no node’s says so, and in no words for programs', async () => {
  const detail = 'params/id: is not of the form that is taken here'
  openNode({}, { [`GET /nodes/${id}`]: () => problem(400, 'invalid_request', detail) })
  const box = await screen.findByRole('alert')
  expect(box).toHaveTextContent('The node: no such address')
  expect(box).toHaveTextContent('The address of this page names nothing')
  expect(box).not.toHaveTextContent('params')
  expect(within(box).queryByRole('button', { name: 'Try again' })).toBeNull()
})

test('its present values have names and units, those that are not known yet their own names', async () => {
  openNode({ gauges: { cacheBytes: 2 ** 20, readBusy: 2.5, ofTomorrow: 3 } })
  const values = await panel('Right now')
  const found = values.getAllByRole('term').map((term) => term.parentElement?.textContent)
  expect(found).toEqual(['File bytes in memory1 MiB', 'Read threads at work2.5', 'ofTomorrow3'])
})

test('of its topics only the one that was gone to is where one is', async () => {
  openNode()
  const rail = within(await screen.findByRole('navigation', { name: 'On this page' }))
  const current = () =>
    rail
      .getAllByRole('link')
      .filter((link) => link.hasAttribute('aria-current'))
      .map(({ textContent }) => textContent)
  expect(current()).toEqual([])
  await userEvent.click(rail.getByRole('link', { name: 'Measurements' }))
  await expect.poll(current).toEqual(['Measurements'])
})

describe('certificates', () => {
  const at = (days: number) => new Date(Date.now() + days * 24 * 3600_000).toISOString()
  const shown: NodeDetail['certificates'][number] = {
    host: 'shop.example',
    fingerprint: '9f86d081'.repeat(8),
    certificate: { name: 'shop', version: 2, latestVersion: 3 },
    notAfter: at(9.5),
    state: 'expiring',
    since: at(-80),
  }

  test('says which it shows under each host, of which of ours, and until when', async () => {
    const ofFile = { ...shown, host: '*', certificate: null, state: 'good' as const }
    openNode({ certificates: [shown, ofFile] })
    const [, first, second] = (await panel('Certificates it serves')).getAllByRole('row')
    if (!first || !second) throw new Error('there are no rows')
    expect(within(first).getByRole('link', { name: 'shop' })).toHaveAttribute(
      'href',
      '/certificates/shop',
    )
    expect(first).toHaveTextContent('shop.exampleshop v2, v3 is not here yetEnds soonin 9 d')
    expect(within(first).getByTitle(shown.fingerprint)).toBeInTheDocument()
    expect(second).toHaveTextContent('*a file on the nodeGood')
  })

  test('of a node without TLS there is no panel', async () => {
    openNode()
    await panel('Identity')
    expect(screen.queryByRole('region', { name: 'Certificates it serves' })).toBeNull()
  })
})

describe('identity', () => {
  test('shows the channel, the end of the certificate and when it was renewed', async () => {
    openNode()
    const shown = await panel('Identity')
    expect(shown.getByText('Mutual TLS')).toBeVisible()
    expect(shown.getByText('in 29 d')).toBeVisible()
    expect(shown.getByText(/^(23 h|1 d) ago$/)).toBeVisible()
    expect(screen.queryByRole('alert')).toBeNull()
  })

  test('warns of plain HTTP', async () => {
    openNode({ identity: { ...identity, kind: 'credential', issuedAt: null, notAfter: null } })
    expect(await screen.findByText('edge-1 talks over plain HTTP')).toBeVisible()
    expect((await panel('Identity')).getByText('Plain HTTP, not protected')).toBeVisible()
  })

  test.each([
    [null, /^never, however long/],
    [
      { afterHours: 6, by: 'group' as const, at: null },
      'after 6 hours away, as its group default says',
    ],
    [
      { afterHours: 1, by: 'token' as const, at: '2026-11-21T09:00:00.000Z' },
      /^after 1 hour away, as the token it joined with says: on 21 Nov 2026, .*, if it is not heard before$/,
    ],
  ])('says whether and until when it may stay away: %j', async (forgetting, said) => {
    openNode({ forgetting })
    expect((await panel('Identity')).getByText(said)).toBeVisible()
  })

  test('is revoked after saying what happens; then the way back is offered', async () => {
    const api = openNode({}, { [`DELETE /nodes/${id}/identity`]: empty })
    await press('Revoke identity')
    const dialog = await screen.findByRole('dialog')
    expect(dialog).toHaveTextContent('goes on serving')
    expect(dialog).toHaveTextContent('The way back is a new token')
    const revoked = { ...identity, kind: 'none' as const, state: 'revoked' as const }
    api.answer({
      [`GET /nodes/${id}`]: () => json(node({ identity: revoked, connected: false })),
      'POST /enrolment-tokens': () => json(createdToken({ nodeId: id }), {}, 201),
    })
    await userEvent.click(
      within(dialog).getByRole('button', { name: 'Revoke the identity of 1 node' }),
    )
    expect(await screen.findByRole('alert')).toHaveTextContent('The identity of edge-1 is revoked')
    expect(await screen.findByRole('button', { name: 'Revoke identity' })).toBeDisabled()
    await press('Make a token to let it back in')
    await press('Make a token for edge-1')
    expect(await screen.findByText(createdToken().command)).toBeVisible()
    const post = api.requests.find(({ path }) => path === '/enrolment-tokens')
    expect(post?.body).toEqual({ nodeId: id, expiresInSeconds: 3600 })

    const back = { ...identity, issuedAt: new Date().toISOString() }
    api.answer({
      [`GET /nodes/${id}`]: () => json(node({ identity: back })),
      'GET /nodes': () => json(page(node({ identity: back }))),
    })
    sayChanged('node')
    expect(await screen.findByText('edge-1 has joined again')).toBeVisible()
    expect(screen.queryByText('The identity of edge-1 is revoked')).toBeNull()
  })

  test('cannot be ended by who may not', async () => {
    openNode({}, { 'GET /session': () => json({ ...session, permissions: [] }) })
    const revoke = await screen.findByRole('button', { name: 'Revoke identity' })
    expect(revoke).toBeDisabled()
    expect(revoke).toHaveAccessibleDescription(/nodes:write/)
  })
})

describe('a clone', () => {
  const incarnations = ['a', 'b'].map((letter) => ({
    incarnation: letter.repeat(32),
    hostname: 'web-1',
    address: `10.0.0.${letter === 'a' ? 1 : 2}`,
    lastSeenAt: new Date().toISOString(),
  }))
  const clone = { detectedAt: new Date().toISOString(), keep: null, incarnations }

  test('shows both processes, and one is kept after saying what happens', async () => {
    const api = openNode({ clone }, { [`POST /nodes/${id}/clone`]: empty })
    const alert = await screen.findByRole('alert')
    expect(alert).toHaveTextContent('More than one process says it is edge-1')
    expect(alert).toHaveTextContent('10.0.0.2')
    await press('Keep web-1 (bbbbbbbb)')
    const dialog = await screen.findByRole('dialog')
    expect(dialog).toHaveTextContent('web-1 (aaaaaaaa) is refused')
    api.answer({
      [`GET /nodes/${id}`]: () => json(node({ clone: { ...clone, keep: 'b'.repeat(32) } })),
    })
    await userEvent.click(within(dialog).getByRole('button', { name: 'Keep web-1 (bbbbbbbb)' }))
    expect(await screen.findByText('web-1 (bbbbbbbb) is kept as edge-1')).toBeVisible()
    const post = api.requests.find(({ method }) => method === 'POST')
    expect(post?.body).toEqual({ keep: 'b'.repeat(32) })
  })

  test('that is over by now is said in the question', async () => {
    openNode(
      { clone },
      { [`POST /nodes/${id}/clone`]: () => problem(409, 'no_clone', 'Nothing to decide.') },
    )
    await press('Keep web-1 (aaaaaaaa)')
    const dialog = await screen.findByRole('dialog')
    await userEvent.click(within(dialog).getByRole('button', { name: 'Keep web-1 (aaaaaaaa)' }))
    expect(await within(dialog).findByRole('alert')).toHaveTextContent('Nothing to decide.')
  })
})

describe('what the machine allows', () => {
  const rules = {
    serve: ['/srv/www', '/srv/film'],
    secrets: ['/etc/farmstead'],
    logs: [],
    runtime: ['/run/farmstead'],
    listen: ['*:80', '*:443', '127.0.0.1:8080'],
    adminBeyondLoopback: false,
    users: ['www-data'],
    groups: [],
    symlinksAny: false,
  }
  const policy = {
    source: 'file' as const,
    path: '/etc/farmstead/policy.json',
    digest: `sha256:${'c'.repeat(64)}`,
    since: new Date(Date.now() - 3_600_000).toISOString(),
    rules,
  }
  const NAME = 'What its machine allows'

  test('is told with the file it lies in, each rule in words', async () => {
    openNode({ policy })
    const shown = await panel(NAME)
    expect(shown.getByText('Policy file')).toBeVisible()
    expect(shown.getByText('/etc/farmstead/policy.json')).toBeVisible()
    expect(shown.getByText('/srv/film')).toBeVisible()
    expect(shown.getByText('ports 80, 443 of every address')).toBeVisible()
    expect(shown.getByText('port 8080 of 127.0.0.1')).toBeVisible()
    expect(shown.getByText('on loopback only')).toBeVisible()
    expect(shown.getByText('www-data')).toBeVisible()
    expect(shown.getByText(/must not be “any”/)).toBeVisible()
    expect(shown.getAllByText('none')).toHaveLength(2)
    expect(shown.queryByText(/No policy file/)).toBeNull()
  })

  test('of one without a file is the built-in policy, and how to allow more', async () => {
    openNode({ policy: { ...policy, source: 'builtIn', path: null } })
    const shown = await panel(NAME)
    expect(shown.getByText('No policy file: the tight built-in one holds')).toBeVisible()
    expect(shown.getByText(/on its machine, as root/)).toHaveTextContent(
      'write /etc/farmstead/policy.json on its machine',
    )
  })

  test('names the first of many and opens for the rest', async () => {
    const serve = Array.from({ length: 20 }, (_, i) => `/srv/${i}`)
    openNode({ policy: { ...policy, rules: { ...rules, serve } } })
    const shown = await panel(NAME)
    expect(shown.getByText('/srv/7')).toBeVisible()
    expect(shown.getByText('/srv/8')).not.toBeVisible()
    await userEvent.click(shown.getByText('and 12 more'))
    expect(shown.getByText('/srv/19')).toBeVisible()
  })

  test('is not known of a node that is too old to tell, nor of one that never spoke', async () => {
    openNode({ policy: null })
    expect((await panel(NAME)).getByText(/farmstead-node 0\.1\.0 is too old/)).toBeVisible()
    cleanup()
    openNode({ policy: null, lastSeenAt: null })
    expect((await panel(NAME)).getByText(/as soon as it connects/)).toBeVisible()
  })

  test('follows the node when it tells another', async () => {
    const api = openNode({ policy: null })
    await panel(NAME)
    api.answer({ [`GET /nodes/${id}`]: () => json(node({ policy })) })
    sayChanged('node')
    expect(await screen.findByText('ports 80, 443 of every address')).toBeVisible()
  })
})

describe('a cordon', () => {
  const cordon = { by: 'ben', at: new Date().toISOString(), reason: 'New disk' }

  test('is put on with a reason only, after saying what happens', async () => {
    const api = openNode({}, { [`PUT /nodes/${id}/cordon`]: empty })
    await press('Cordon')
    const dialog = within(await screen.findByRole('dialog'))
    expect(dialog.getByText(/Rollouts skip it/)).toBeVisible()
    const send = dialog.getByRole('button', { name: 'Cordon edge-1' })
    expect(send).toBeDisabled()
    expect(send).toHaveAccessibleDescription('Give a reason first.')
    await userEvent.type(dialog.getByRole('textbox', { name: 'Why' }), ' New disk ')
    api.answer({ [`GET /nodes/${id}`]: () => json(node({ cordon })) })
    await userEvent.click(send)
    expect(await screen.findByText('edge-1 is cordoned')).toBeVisible()
    expect(screen.getByText(/“New disk” Rollouts skip it/)).toBeVisible()
    expect(screen.getByText('Cordoned')).toBeVisible()
    const put = api.requests.find(({ method }) => method === 'PUT')
    expect(put?.body).toEqual({ reason: 'New disk' })
  })

  test('is taken off, or it says why not', async () => {
    const refusal = problem(404, 'node_not_found', 'There is no such node.')
    const api = openNode({ cordon }, { [`DELETE /nodes/${id}/cordon`]: () => refusal })
    await press('Uncordon')
    expect(await screen.findByRole('alert')).toHaveTextContent('There is no such node.')
    api.answer({
      [`DELETE /nodes/${id}/cordon`]: empty,
      [`GET /nodes/${id}`]: () => json(node()),
    })
    await press('Uncordon')
    expect(await screen.findByRole('button', { name: 'Cordon' })).toBeVisible()
    expect(screen.queryByText('edge-1 is cordoned')).toBeNull()
  })

  test('is not for who may not', async () => {
    openNode({}, { 'GET /session': () => json({ ...session, permissions: [] }) })
    const button = await screen.findByRole('button', { name: 'Cordon' })
    expect(button).toBeDisabled()
    expect(button).toHaveAccessibleDescription(/nodes:write/)
  })
})

describe('drift', () => {
  const changed = drift()
  const detail = { ...changed, text: '{ "a": 2 }', assignedText: '{ "a": 1 }' }
  const handlers = { [`GET /nodes/${id}/drift`]: () => json(detail) }

  test('is kept as a version, which can be rolled out from there', async () => {
    const api = openNode({ drift: changed }, handlers)
    const shown = await panel('Changed on its machine')
    expect(shown.getByText('Served')).toBeVisible()
    expect(shown.getByText(/takes no other version/)).toBeVisible()
    await press('Keep it as a new version')
    const dialog = await screen.findByRole('dialog')
    await userEvent.type(within(dialog).getByRole('textbox', { name: /Message/ }), 'Hot fix')
    const decision = { action: 'adopt' as const, actor: 'ana', at: new Date().toISOString() }
    api.answer({
      [`POST /nodes/${id}/drift`]: () => json({ version: { config: 'default', number: 5 } }),
      [`GET /nodes/${id}`]: () => json(node({ drift: { ...changed, decision } })),
    })
    await userEvent.click(
      within(dialog).getByRole('button', { name: 'Save as a new version of default' }),
    )
    expect(await shown.findByText('Kept as default v5')).toBeVisible()
    expect(shown.getByRole('link', { name: 'New rollout of v5' })).toHaveAttribute(
      'href',
      '/rollouts/new?config=default&version=5',
    )
    const post = api.requests.find(({ method }) => method === 'POST')
    expect(post?.body).toEqual({ action: 'adopt', digest: changed.digest, message: 'Hot fix' })
  })

  test('is discarded after saying what is lost', async () => {
    const api = openNode({ drift: changed }, handlers)
    await press('Discard it')
    const dialog = await screen.findByRole('dialog')
    expect(dialog).toHaveTextContent('kept nowhere')
    api.answer({
      [`POST /nodes/${id}/drift`]: () => json({ version: null }),
      [`GET /nodes/${id}`]: () => json(node()),
    })
    await userEvent.click(
      within(dialog).getByRole('button', { name: 'Discard the change on 1 node' }),
    )
    await screen.findByRole('heading', { name: 'Sync' })
    expect(screen.queryByRole('region', { name: 'Changed on its machine' })).toBeNull()
  })

  test('that is another by now is not decided on', async () => {
    const refusal = () => problem(409, 'drift_changed', 'It now has another digest.')
    openNode({ drift: changed }, { ...handlers, [`POST /nodes/${id}/drift`]: refusal })
    await press('Discard it')
    await press('Discard the change on 1 node')
    expect(await screen.findByRole('alert')).toHaveTextContent('It now has another digest.')
  })

  test('with errors says where, and cannot become a version', async () => {
    const error = {
      ...{ pointer: '/listen', line: 2, column: 3, endLine: 2, endColumn: 9 },
      ...{ code: 'wrong_type', message: 'must be an array', hint: '' },
    }
    openNode({ drift: drift({ isServed: false, errors: [error] }) }, handlers)
    expect(await screen.findByText(/must be an array/)).toBeVisible()
    const keep = await screen.findByRole('button', { name: 'Keep it as a new version' })
    expect(keep).toBeDisabled()
    expect(keep).toHaveAccessibleDescription(/free of errors/)
  })
})

describe('the error log', () => {
  const line = { at: '2026-03-01T12:00:00.000Z', level: 'warn' as const, text: 'disk is slow' }

  test('is read on request only', async () => {
    const api = openNode(
      {},
      { [`POST /nodes/${id}/error-log`]: () => json({ lines: [line, line], droppedLines: 7 }) },
    )
    await screen.findByText(/The log stays on the machine/)
    sayChanged('node')
    expect(api.requests.filter(({ method }) => method === 'POST')).toEqual([])
    await userEvent.selectOptions(screen.getByLabelText('How many lines'), '500 lines')
    await press('Ask the node')
    expect(await screen.findAllByText('disk is slow')).toHaveLength(2)
    expect(screen.getByText(/2 lines; 7 older ones are gone/)).toBeVisible()
    const post = api.requests.find(({ method }) => method === 'POST')
    expect(post?.body).toEqual({ lines: 500 })
  })

  test('loading, and none', async () => {
    const api = openNode({}, { [`POST /nodes/${id}/error-log`]: never })
    await press('Ask the node')
    expect(await screen.findByRole('status', { name: /The log of edge-1/ })).toBeVisible()
    expect(api.requests.at(-1)?.path).toBe(`/nodes/${id}/error-log`)
  })

  test('of a node that logged nothing', async () => {
    openNode({}, { [`POST /nodes/${id}/error-log`]: () => json({ lines: [], droppedLines: 0 }) })
    await press('Ask the node')
    expect(await screen.findByText('It has logged nothing since it started.')).toBeVisible()
  })

  test('of a node that does not answer: said once, not asked again by itself', async () => {
    const api = openNode(
      {},
      {
        [`POST /nodes/${id}/error-log`]: () =>
          problem(504, 'node_did_not_answer', 'edge-1 is connected, but did not send its log.'),
      },
    )
    await press('Ask the node')
    const alert = await screen.findByRole('alert')
    expect(alert).toHaveTextContent('did not send its log')
    expect(api.requests.filter(({ method }) => method === 'POST')).toHaveLength(1)
    api.answer({ [`POST /nodes/${id}/error-log`]: () => json({ lines: [line], droppedLines: 0 }) })
    await userEvent.click(within(alert).getByRole('button', { name: 'Try again' }))
    expect(await screen.findByText('disk is slow')).toBeVisible()
    expect(screen.queryByRole('alert')).toBeNull()
  })

  test('of a node that is away cannot be asked for', async () => {
    openNode({ connected: false })
    const ask = await screen.findByRole('button', { name: 'Ask the node' })
    expect(ask).toBeDisabled()
    expect(ask).toHaveAccessibleDescription('It is not connected.')
  })
})

describe('the machine', () => {
  test('shows what it reported, and the disks of the roots', async () => {
    openNode({ host: host() })
    expect((await panel('Machine')).getByText('12.5 % of 2 CPUs busy')).toBeVisible()
    const disks = within(await screen.findByRole('region', { name: 'Disks of the roots, table' }))
    expect(disks.getByText('/srv/www')).toBeVisible()
    expect(disks.getByText('75 % of 100 GiB')).toBeVisible()
    expect(disks.getByText('12 MB/s')).toBeVisible()
  })

  test('without a report says why there are no numbers', async () => {
    openNode({ host: null })
    expect(await screen.findByText(/that comes with its next report/)).toBeVisible()
    expect(screen.queryByText('Disks of the roots')).toBeNull()
  })
})

test('a page of tokens is not asked for by the node’s page', async () => {
  const api = openNode({}, { 'GET /enrolment-tokens': () => json(page()) })
  await panel('Identity')
  expect(api.requests.map(({ path }) => path)).not.toContain('/enrolment-tokens')
})
