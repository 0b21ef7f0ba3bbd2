// SPDX-License-Identifier: MIT
// A browser that comes back after a release gets what has changed of the script that it has: over HTTPS, from a node, by a
// compression dictionary (RFC 9842). The script is the console's own bundle.
import { execFileSync } from 'node:child_process'
import { createHash, X509Certificate } from 'node:crypto'
import { chownSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { get } from 'node:https'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { chromium } from '@playwright/test'
import { handshake } from '../../../control-api/test/console-tls/browser.ts'
import { ensureNodeUser } from '../../../scripts/farm/node-user.ts'
import { freePort } from '../../../scripts/testing/free-port.mjs'
import { launchOptions } from '../../chromium.ts'
import { ANY_STATE } from '../../client/api.ts'
import { makeCertificate } from '../../fixtures/certificates.ts'
import { Api, adminPassword, expect, type Farm, test } from '../../fixtures/index.ts'
import { pushRelease } from '../../fixtures/releases.ts'

const ADMIN = { username: 'admin', password: adminPassword }
const RELEASE = 'www'
const ASSETS = join(import.meta.dirname, '../../../web-ui/dist/assets')
const SERVES_WITHIN_MS = 60_000
const ASK_EVERY_MS = 200
/** Of the same script, compressed as for anybody. */
const MOST_OF_BROTLI = 0.2

test.use({ farmOptions: { nodes: 1 } })

/** The largest script of the console, as it was built. */
function builtScript(): string {
  const scripts = readdirSync(ASSETS).filter((name) => /^start-.*\.js$/.test(name))
  const texts = scripts.map((name) => readFileSync(join(ASSETS, name), 'utf8'))
  const [largest] = texts.sort((a, b) => b.length - a.length)
  if (largest === undefined) throw new Error(`there is no script of the console in ${ASSETS}`)
  return largest
}

/** As the next build has it: other names of all parts, since they are of contents; a word, and a function more. */
function nextScript(text: string): string {
  const renamed = text.replace(/([\w/]+)-([\w-]{8})\.(js|css)/g, (_, name, hash, ending) => {
    const other = [...hash].reverse().join('')
    return `${name}-${other}.${ending}`
  })
  const worded = renamed.replaceAll('Overview', 'Summary')
  const middle = worded.indexOf('function ', worded.length / 2)
  const more = 'function aNewOne(a,b){return a.filter(c=>c.name===b).map(c=>c.value*2)}'
  return worded.slice(0, middle) + more + worded.slice(middle)
}

/** Its title says of which bytes the script is that it got; to run it is another matter. */
const pageOf = (number: number) => `<!doctype html><title>${number}</title>
<link rel="icon" href="data:,">
<script type="module">
  const bytes = await (await fetch('/assets/app.${number}.js')).arrayBuffer()
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  document.title = 'got ' + btoa(String.fromCharCode(...hash))
</script>`

const hashOf = (text: string | Buffer) => createHash('sha256').update(text).digest('base64')

/** Where the node may write, as the machine's owner would have made it. */
async function makeFolders({ home }: Farm) {
  const secrets = join(home, 'node-files')
  const copies = join(secrets, 'copies')
  mkdirSync(secrets)
  mkdirSync(copies, { mode: 0o700 })
  const user = await ensureNodeUser()
  if (user) {
    const id = Number(execFileSync('id', ['-u', user], { encoding: 'utf8' }))
    chownSync(copies, id, id)
  }
  const { chain, key } = makeCertificate(['localhost'])
  const [chainFile, keyFile] = [join(secrets, 'chain.pem'), join(secrets, 'key.pem')]
  writeFileSync(chainFile, chain)
  writeFileSync(keyFile, key)
  const { publicKey } = new X509Certificate(chain)
  const keyHash = hashOf(publicKey.export({ type: 'spki', format: 'der' }))
  return { copies, certificate: { chainFile, keyFile }, keyHash }
}

test('a browser that comes back gets a fifth of the bytes at most', async ({ freshFarm: farm }) => {
  const admin = new Api(farm.consoleUrl)
  await admin.setUp({ token: farm.setupToken ?? '', ...ADMIN })
  const edge = farm.node('edge-1')
  const { copies, certificate, keyHash } = await makeFolders(farm)
  await edge.process.stop()
  edge.process.start()
  await expect(edge).toBeServing('/')

  const port = await freePort()
  const origin = `https://localhost:${port}`
  const site = {
    hosts: ['*'],
    release: RELEASE,
    certificates: [certificate],
    releaseDictionaries: ['/assets/app.*.js'],
    expires: [{ paths: ['/assets/*'], maxAgeSeconds: 31_536_000, directives: 'immutable' }],
  }
  const text = JSON.stringify({
    listen: [{ address: '127.0.0.1', port: edge.port }],
    compression: { cacheFolder: copies },
    sites: [site],
  })
  const { id } = await admin.node('edge-1')
  const listen = [
    { address: '127.0.0.1', port: edge.port },
    { address: '127.0.0.1', port, tls: true },
  ]
  await admin.call.PUT('/api/v1/nodes/{id}/override', {
    params: { path: { id }, ...ANY_STATE },
    body: { mergePatch: { listen } },
  })
  const first = builtScript()
  const scripts = [first, nextScript(first)]
  const textOf = (number: number) => scripts[number - 1] ?? ''
  const serve = async (number: number) => {
    await pushRelease(
      admin,
      RELEASE,
      { 'index.html': pageOf(number), [`assets/app.${number}.js`]: textOf(number) },
      number === 1 ? null : number - 1,
    )
    const version = await admin.saveVersion(`// ${number}\n${text}`)
    await admin.rollOut(version, { releases: { [RELEASE]: number } })
    await expect
      .poll(() => plainText(`http://127.0.0.1:${edge.port}/`), { timeout: SERVES_WITHIN_MS })
      .toContain(`<title>${number}</title>`)
  }
  await serve(1)
  await expect.poll(() => handshake(origin).catch(() => null)).not.toBeNull()

  // A key that it is told to trust: of what came by one that it only put up with it keeps nothing.
  const browser = await chromium.launch({
    ...launchOptions,
    args: [...launchOptions.args, `--ignore-certificate-errors-spki-list=${keyHash}`],
  })
  try {
    const page = await browser.newPage()
    /** Loads the page, and says how its script came. */
    const visit = async (number: number) => {
      const path = `/assets/app.${number}.js`
      const coming = page.waitForResponse((response) => response.url().endsWith(path))
      await page.goto(`${origin}/`)
      const response = await coming
      await expect(page).toHaveTitle(`got ${hashOf(textOf(number))}`)
      const { responseBodySize } = await response.request().sizes()
      const coding = (await response.allHeaders())['content-encoding']
      return { coding, bytes: responseBodySize }
    }
    await visit(1)
    await serve(2)
    const script = `${origin}/assets/app.2.js`
    const brotli = await untilCoded(script, 'br')
    // Others came back before, so that it is made.
    await untilCoded(script, 'dcz', { 'available-dictionary': `:${hashOf(textOf(1))}:` })
    const changed = await visit(2)
    const description = `${changed.bytes} bytes in place of ${brotli}`
    test.info().annotations.push({ type: 'measured', description })
    expect(changed.coding).toBe('dcz')
    expect(changed.bytes).toBeLessThan(MOST_OF_BROTLI * brotli)
  } finally {
    await browser.close()
  }
})

async function plainText(url: string): Promise<string> {
  return await fetch(url).then(
    (answer) => answer.text(),
    () => '',
  )
}

/** How many bytes it has in this coding, when that has been made. */
async function untilCoded(
  url: string,
  coding: string,
  headers: Record<string, string> = {},
): Promise<number> {
  const options = {
    headers: { 'accept-encoding': coding, ...headers },
    rejectUnauthorized: false,
    agent: false,
  }
  for (const end = Date.now() + SERVES_WITHIN_MS; Date.now() < end; await sleep(ASK_EVERY_MS)) {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
    get(url, options, resolve).on('error', reject)
    const answer = await promise
    const body = await buffer(answer)
    if (answer.headers['content-encoding'] === coding) return body.length
  }
  throw new Error(`${url} does not come in ${coding}`)
}
