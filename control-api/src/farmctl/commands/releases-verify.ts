// SPDX-License-Identifier: MIT
// What is served, held against the files of a release.
import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import type { Api } from '../api.ts'
import type { Act, Tool } from '../command.ts'
import { Difference, Failure } from '../failures.ts'
import { collect, wholeNumber } from '../load/option-values.ts'
import { teller } from '../releases/push.ts'
import { createAsker } from '../releases/verify/ask.ts'
import { type NodePlaces, placesOfNodes, type Unasked } from '../releases/verify/nodes.ts'
import { chosenOf, placesOf } from '../releases/verify/urls.ts'
import { type Verified, verifyManifest } from '../releases/verify/verify.ts'
import { getVersion } from '../releases/versions.ts'
import { tableLines } from '../table.ts'
import { examples } from './examples.ts'

type Options = {
  url: string[]
  at: string[]
  nodes?: boolean
  sample: number
  parallel: number
  caFile?: string
  insecure?: boolean
}

const MOST_FILES = 10_000

export function registerVerify(releases: Command, act: Act): void {
  const verify = releases
    .command('verify')
    .summary('hold what is served against the files of a version')
    .description(
      'Asks each URL for each file of a version and tells where status, bytes or Repr-Digest are not as the version says, and where ETag, type or caching are not the same everywhere. An index.html is asked for by its folder, too. With --at the same URL is asked of each of these machines, with --nodes each node that runs the release at the address that its config says. Ends with 1 when something is odd.',
    )
    .argument('<release>', 'the release’s name')
    .argument('[version]', 'a number or "latest"', 'latest')
    .option('--url <url>', 'where the release is served; again for more', collect, [])
    .option('--at <machine>', 'ask this one, as 192.0.2.7:8443; again for more', collect, [])
    .option('--nodes', 'ask each node that runs the release at its own address')
    .option('--sample <n>', 'at most so many files, from all over it', wholeNumber, MOST_FILES)
    .option('--parallel <n>', 'files at once', wholeNumber, 8)
    .option('--ca-file <file>', 'PEM of the CA to believe instead of the system’s')
    .option('--insecure', 'believe any certificate')
  examples(verify, [
    'farmctl releases verify www --url https://www.example.org',
    'farmctl releases verify www 41 --url https://www.example.org --at 192.0.2.7 --at 192.0.2.8',
    'farmctl releases verify www --nodes',
    'farmctl releases verify docs --url http://localhost:8080/docs/ --sample 200 --json',
  ])
  act<Options>(verify, verifyRelease)
}

async function verifyRelease(tool: Tool, options: Options, name = '', which = 'latest') {
  const api = tool.api()
  const { caFile, insecure = false, sample, parallel } = options
  const { number, manifest, files } = await getVersion(api, name, which)
  const { nodes, places, odd, unasked } = await whereOf(api, options, { release: name, number })
  const ca = caFile === undefined ? undefined : readFileSync(caFile, 'utf8')
  const asker = createAsker({ connections: parallel, ca, insecure, stop: tool.stop })
  const tell = teller(tool)
  try {
    const asked = await verifyManifest(api, manifest, {
      ...{ places, asker, atOnce: parallel, isChosen: chosenOf(files, sample, Math.random) },
      onFile: (done) => tell(`${done} of ${Math.min(files, sample)} files`),
    })
    const verified = { ...asked, odd: odd.length + asked.odd, shown: [...odd, ...asked.shown] }
    const { shown: items, ...counts } = verified
    const ofNodes = nodes === null ? {} : { nodes, unasked }
    tool.show(
      { release: name, version: number, ofFiles: files, ...counts, ...ofNodes, items },
      () => [
        ...linesOf(`${name}@${number}`, files, verified),
        ...(nodes === null ? [] : nodeLines(nodes, places.length, unasked)),
      ],
    )
    if (verified.odd > 0) throw new Difference(`${verified.odd} answers are odd.`)
    if (unasked.length > 0) throw new Difference(`${unasked.length} nodes could not be asked.`)
  } finally {
    asker.close()
  }
}

type Where = Omit<NodePlaces, 'nodes'> & { nodes: number | null }

async function whereOf(
  api: Api,
  { url, at, nodes = false }: Options,
  version: { release: string; number: number },
): Promise<Where> {
  if (!nodes) return { nodes: null, places: placesOf(url, at), odd: [], unasked: [] }
  if (at.length > 0 || url.length > 1) {
    throw new Failure(
      'With --nodes the machines are the nodes: leave --at out, and say one --url or none.',
    )
  }
  return await placesOfNodes(api, { ...version, url: url[0] })
}

function nodeLines(nodes: number, asked: number, unasked: readonly Unasked[]): string[] {
  return [
    `${asked} of ${nodes} nodes that run the release were asked.`,
    ...unasked.map(({ node, why }) => `Not asked: ${node}: ${why}. Ask it with --url and --at.`),
  ]
}

function linesOf(name: string, ofFiles: number, { files, answers, odd, shown }: Verified) {
  const of = files === ofFiles ? `all ${files}` : `${files} of ${ofFiles}`
  const rows = shown.map((one) => [one.path, one.place, one.what, one.expected, one.found])
  return [
    `${name}: ${of} files, ${answers} answers, ${odd === 0 ? 'all as they should be' : `${odd} odd`}.`,
    ...(odd > 0 ? tableLines(['PATH', 'WHERE', 'WHAT', 'EXPECTED', 'FOUND'], rows) : []),
    ...(odd > shown.length ? [`and ${odd - shown.length} more`] : []),
  ]
}
