// SPDX-License-Identifier: MIT

import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { SmtpConfig } from '../../../src/environment/smtp.ts'
import { mailOf } from '../../../src/features/webhooks/mail.ts'
import { sendMail } from '../../../src/features/webhooks/send-mail.ts'
import { build } from '../../helper.ts'

type Taken = { to: string[]; from: string; text: string; user: string | undefined }

/** A real one, on a socket, without TLS unless that is asked for: then with a certificate that nobody believes. */
async function startMailServer(options: SMTPServerOptions = {}) {
  const taken: Taken[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, session, done) {
      stream.toArray().then((chunks) => {
        const { mailFrom, rcptTo } = session.envelope
        taken.push({
          to: rcptTo.map(({ address }) => address),
          from: mailFrom ? mailFrom.address : '',
          text: Buffer.concat(chunks).toString('utf8'),
          user: session.user,
        })
        done()
      })
    },
    ...options,
  })
  server.on('error', () => {})
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => new Promise<void>((done) => server.close(() => done())))
  const address = server.server.address()
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0
  const smtp: SmtpConfig = {
    ...{ host: '127.0.0.1', port, isTls: false, from: 'farm@example.org', signIn: null },
  }
  return { taken, smtp }
}

const body = JSON.stringify({
  type: 'alert.firing',
  timestamp: '2026-11-26T15:29:18.000Z',
  data: {
    ...{ sequence: 4711, kind: 'alert', id: 'alert_1', action: 'firing', actor: null },
    detail: {
      rule: { id: 'rule_1', name: 'Node\r\nBcc: all@example.org' },
      severity: 'critical',
      subject: { kind: 'node', id: 'node_1', name: 'edge-1' },
      message: 'Not heard from since 15:27.',
    },
  },
})
const message = { id: 'event_1_4711', eventId: 4711, type: 'alert.firing', body }
const sender = { farm: 'https://farm.example', from: 'farm@example.org' }
const telling = (smtp: SmtpConfig | null, timeoutMs = 2_000) =>
  sendMail({
    ...{ smtp, to: 'ops@example.org', message, farm: sender.farm, timeoutMs },
    signal: new AbortController().signal,
  })

describe('an event by mail', () => {
  test('says in its subject what an operator must know, in one line whatever is in it', () => {
    const { subject, text, messageId } = mailOf(message, sender)
    expect(subject).toBe('[Farmstead] critical: Node Bcc: all@example.org firing (edge-1)')
    expect(text).toContain('\nNot heard from since 15:27.\n')
    expect(text).toContain('\nsequence: 4711\n')
    expect(text).toContain('Event event_1_4711 of https://farm.example\n')
    expect(messageId).toBe('<event_1_4711@example.org>')
    const plain = JSON.stringify({
      ...{ type: 'node.joined', timestamp: '2026-11-26T15:29:18.000Z' },
      data: { kind: 'node', id: 'node_1', action: 'joined' },
    })
    expect(mailOf({ ...message, body: plain }, sender).subject).toBe(
      '[Farmstead] node.joined node_1',
    )
  })

  test('is taken by a mail server, from whom and to whom it is said', async () => {
    const { taken, smtp } = await startMailServer()
    expect(await telling(smtp)).toMatchObject({ verdict: 'delivered', status: 250, error: null })
    expect(taken[0]).toMatchObject({ to: ['ops@example.org'], from: 'farm@example.org' })
    expect(taken[0]?.text).toMatch(/^Message-ID: <event_1_4711@example.org>\r$/m)
    expect(taken[0]?.text).toMatch(/^Auto-Submitted: auto-generated\r$/im)
    expect(taken[0]?.text).not.toMatch(/^Bcc/im)
  })

  test.each([
    [450, 'again'],
    [552, 'passed'],
    [550, 'passed'],
  ])('that a server answers with %d is %s', async (code, verdict) => {
    const { smtp } = await startMailServer({
      onRcptTo(_address, _session, done) {
        done(Object.assign(new Error('not this one'), { responseCode: code }))
      },
    })
    const outcome = await telling(smtp)
    expect(outcome).toMatchObject({ verdict, status: code })
    expect(outcome.error).toContain('not this one')
  })

  test('is tried again when there is no server, when it says nothing, or none was set up', async () => {
    const { smtp } = await startMailServer({
      onConnect: () => {
        // For ever.
      },
    })
    expect(await telling(smtp, 100)).toMatchObject({ verdict: 'again', status: null })
    const nobody = { ...smtp, port: 1 }
    expect((await telling(nobody)).error).toContain('ECONNREFUSED')
    expect((await telling(null)).error).toBe('No mail server is set up: FARMSTEAD_SMTP_URL')
  })

  test('is given up at once when the service stops', async () => {
    const { smtp } = await startMailServer({
      onConnect: () => {
        // For ever.
      },
    })
    const stopping = new AbortController()
    const asked = sendMail({
      ...{ smtp, to: 'ops@example.org', message, farm: sender.farm, timeoutMs: 60_000 },
      signal: stopping.signal,
    })
    stopping.abort()
    expect((await asked).verdict).toBe('again')
  })

  test('tells no password over a connection that is not encrypted, or to who shows no good certificate', async () => {
    const asked: unknown[] = []
    const options: SMTPServerOptions = {
      onAuth(given, _session, done) {
        asked.push(given)
        done(null, { user: 'farm' })
      },
    }
    const signIn = { user: 'farm', password: 's3cret' }
    const plain = await startMailServer(options)
    const withTls = await startMailServer({ ...options, disabledCommands: [] })
    for (const { smtp } of [plain, withTls]) {
      const outcome = await telling({ ...smtp, signIn })
      expect(outcome.verdict).toBe('again')
      expect(JSON.stringify(outcome)).not.toContain('s3cret')
    }
    expect(asked).toEqual([])
    // Nor is a mail given to who may be anybody.
    expect((await telling(withTls.smtp)).error).toContain('certificate')
    expect(withTls.taken).toEqual([])
  })
})

describe('a webhook to mailto:', () => {
  const url = '/api/v1/webhooks'

  test('is told in order, with its deliveries kept, and tested', async () => {
    const { taken, smtp } = await startMailServer()
    const service = await build({ config: { smtp } })
    const payload = { url: 'mailto:ops@example.org', events: ['node'] }
    const made = await service.admin.inject({ method: 'POST', url, payload })
    expect(made.statusCode, made.body).toBe(201)
    const { id } = made.json()
    for (const of of ['a', 'b']) {
      await service.services.write((unit) =>
        unit.emit({ kind: 'node', id: of, action: 'changed', actor: 'anna' }),
      )
    }
    await expect.poll(() => taken.length).toBe(2)
    const subjects = taken.map(({ text }) => /^Subject: (.*)\r$/m.exec(text)?.[1])
    expect(subjects).toEqual(['[Farmstead] node.changed a', '[Farmstead] node.changed b'])
    const test = await service.admin.inject({ method: 'POST', url: `${url}/${id}/actions/test` })
    expect(test.json()).toMatchObject({ delivered: true, status: 250 })
  })

  test('is refused where nothing sends mail, and where it is no one address', async () => {
    const service = await build()
    const post = async (address: string) =>
      (await service.admin.inject({ method: 'POST', url, payload: { url: address } })).json().code
    expect(await post('mailto:ops@example.org')).toBe('mail_not_set_up')
    for (const bad of ['a@b,c@d', 'a', 'a@b?bcc=c@d', 'a@b?subject=x', 'a%0d@b', '"a b"@c']) {
      expect(await post(`mailto:${bad}`), bad).toBe('mail_address_refused')
    }
  })
})
