// SPDX-License-Identifier: MIT
// Serves the configs of docs/mirrors.md, as they stand there, to the programs they are for, and looks at what arrives.
// Not part of the tests, as it needs programs that nothing else does:
//   apt-get install apt dpkg-dev maven skopeo ffmpeg zsync aria2 mktorrent
//   node test/mirrors.mjs
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { startNode, tempFolder, until, writeTree } from './support/node.mjs'
import { get, LOOPBACK } from './support/raw.mjs'

const page = join(dirname(fileURLToPath(import.meta.url)), '../../docs/mirrors.md')
const execute = promisify(execFile)

/** Runs a program to its end; what it says is in the error where it fails. */
async function run(program, args, options = {}) {
  try {
    return await execute(program, args, { timeout: 120_000, ...options })
  } catch (error) {
    if (error.code === 'ENOENT') throw new Error(`${program} is not here: see the top of this file`)
    throw new Error(`${program}: ${error.message}\n${error.stdout}\n${error.stderr}`)
  }
}

/** The config below a heading of the page, for our names and with our folder. */
function documented(heading, root) {
  const text = readFileSync(page, 'utf8')
  const section = text.slice(text.indexOf(`\n## ${heading}\n`))
  const config = JSON.parse(/```jsonc\n([\s\S]*?)```/.exec(section)[1])
  for (const site of config.sites) Object.assign(site, { hosts: ['*'], root })
  return config
}

/** A node as the page has it, which serves a new folder with these files. */
async function serve(t, heading, files) {
  const root = tempFolder(t)
  writeTree(root, files)
  const node = await startNode(t, { config: documented(heading, root) })
  return { node, root, base: `http://${LOOPBACK}:${node.port}` }
}

const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex')
const ofCache = async (node, path) => (await get(node.port, path)).headers['cache-control']

test('apt updates, downloads, and asks again with a condition', async (t) => {
  const { node, root, base } = await serve(t, 'An apt mirror', {})
  const build = tempFolder(t)
  const pool = join(root, 'debian/pool/main/h')
  mkdirSync(pool, { recursive: true })
  for (const name of ['hello-a', 'hello-b', 'hello-c']) {
    const control = `Package: ${name}\nVersion: 1.0\nArchitecture: all\nMaintainer: A <a@b.test>\nDescription: x\n`
    writeTree(build, {
      [`${name}/DEBIAN/control`]: control,
      [`${name}/usr/share/${name}/x`]: randomBytes(200_000),
    })
    await run('dpkg-deb', ['--build', join(build, name), join(pool, `${name}_1.0_all.deb`)])
  }
  const { stdout: packages } = await run('dpkg-scanpackages', ['--multiversion', 'pool'], {
    cwd: join(root, 'debian'),
  })
  const index = gzipSync(packages)
  const sums = [
    ['Packages', Buffer.from(packages)],
    ['Packages.gz', index],
  ]
    .map(([name, bytes]) => ` ${sha256(bytes)} ${bytes.length} main/binary-amd64/${name}\n`)
    .join('')
  const dist = 'debian/dists/stable'
  writeTree(root, {
    [`${dist}/main/binary-amd64/Packages.gz`]: index,
    [`${dist}/main/binary-amd64/by-hash/SHA256/${sha256(index)}`]: index,
    [`${dist}/Release`]: `Origin: t\nSuite: stable\nCodename: stable\nArchitectures: amd64\nComponents: main\nAcquire-By-Hash: yes\nSHA256:\n${sums}`,
  })

  // A file that was just written has no date yet, by which apt would ask again.
  const old = new Date(Date.now() - 60_000)
  utimesSync(join(root, dist, 'Release'), old, old)

  const home = tempFolder(t)
  writeTree(home, {
    'sources.list': `deb [trusted=yes arch=amd64] ${base}/debian stable main\n`,
    'state/lists/partial/.keep': '',
    'cache/archives/partial/.keep': '',
    status: '',
  })
  const options = [
    ...[
      'Dir::Etc::SourceList=sources.list',
      'Dir::Etc::SourceParts=-',
      'Dir::Etc::Parts=-',
      'Dir::State=state',
    ],
    ...[
      'Dir::State::Status=status',
      'Dir::Cache=cache',
      'APT::Architecture=amd64',
      'APT::Architectures=amd64',
    ],
  ].map((option) => option.replace(/=(sources.list|state|status|cache)$/, `=${home}/$1`))
  const apt = (...words) =>
    run(
      'apt-get',
      [...options.flatMap((option) => ['-o', option]), '-o', 'APT::Sandbox::User=root', ...words],
      { cwd: home },
    )
  await apt('update')
  await apt('download', 'hello-a', 'hello-b', 'hello-c')
  for (const name of readdirSync(pool))
    assert.deepEqual(readFileSync(join(home, name)), readFileSync(join(pool, name)))
  const before = await node.counter('responses3xx')
  const { stdout } = await apt('update')
  assert.match(stdout, /^Hit:\d .* stable Release$/m)
  assert.ok((await node.counter('responses3xx')) > before, 'a 304')
  assert.match(await ofCache(node, '/debian/pool/main/h/hello-a_1.0_all.deb'), /immutable/)
  assert.match(await ofCache(node, `/${dist}/Release`), /must-revalidate/)
})

test('Maven takes a parent from the repository, and believes its checksum', async (t) => {
  const project = (name, more) =>
    `<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>${more}<groupId>org.test</groupId><artifactId>${name}</artifactId><version>1.0</version><packaging>pom</packaging></project>`
  const pom = project('parent', '')
  const folder = 'org/test/parent/1.0/parent-1.0.pom'
  const { node, base } = await serve(t, 'A Maven repository', {
    [folder]: pom,
    [`${folder}.sha1`]: createHash('sha1').update(pom).digest('hex'),
  })
  const home = tempFolder(t)
  writeTree(home, {
    'settings.xml': `<settings><localRepository>${home}/local</localRepository><mirrors><mirror><id>m</id><mirrorOf>*</mirrorOf><url>${base}/</url></mirror></mirrors></settings>`,
    'pom.xml': project(
      'child',
      '<parent><groupId>org.test</groupId><artifactId>parent</artifactId><version>1.0</version><relativePath/></parent>',
    ),
  })
  await run('mvn', ['-B', '-C', '-s', 'settings.xml', 'validate'], { cwd: home })
  assert.equal(readFileSync(join(home, 'local', folder), 'utf8'), pom)
  assert.match(await ofCache(node, `/${folder}`), /immutable/)
})

test('skopeo copies an image by tag and by digest, alone and of an index', async (t) => {
  const { node, root, base } = await serve(t, 'Container images', { 'v2/index.html': '' })
  const types = 'application/vnd.oci.image'
  const write = (bytes, path) => {
    const digest = `sha256:${sha256(bytes)}`
    writeTree(root, { [`v2/team/app/${path(digest)}`]: bytes })
    return digest
  }
  const blob = (bytes, mediaType) => ({
    mediaType,
    size: bytes.length,
    digest: write(bytes, (digest) => `blobs/${digest}`),
  })
  const tar = Buffer.alloc(1024)
  const layer = blob(
    gzipSync(Buffer.concat([tar, randomBytes(300_000)])),
    `${types}.layer.v1.tar+gzip`,
  )
  const diff = `sha256:${sha256(tar)}`
  const config = Buffer.from(
    JSON.stringify({
      architecture: 'amd64',
      os: 'linux',
      rootfs: { type: 'layers', diff_ids: [diff] },
    }),
  )
  const manifest = Buffer.from(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: `${types}.manifest.v1+json`,
      config: blob(config, `${types}.config.v1+json`),
      layers: [layer],
    }),
  )
  const digest = write(manifest, (name) => `manifests/${name}.manifest.json`)
  write(manifest, () => 'manifests/latest.manifest.json')
  const platform = { architecture: 'amd64', os: 'linux' }
  const index = Buffer.from(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: `${types}.index.v1+json`,
      manifests: [
        { mediaType: `${types}.manifest.v1+json`, size: manifest.length, digest, platform },
      ],
    }),
  )
  write(index, () => 'manifests/all.index.json')

  const registry = base.replace('http:', 'docker:')
  for (const name of [':latest', `@${digest}`, ':all']) {
    const target = join(tempFolder(t), 'image')
    const words = [
      '--insecure-policy',
      '--override-os=linux',
      '--override-arch=amd64',
      'copy',
      '--src-tls-verify=false',
    ]
    await run('skopeo', [...words, `${registry}/team/app${name}`, `dir:${target}`])
    assert.equal(
      sha256(readFileSync(join(target, layer.digest.slice(7)))),
      layer.digest.slice(7),
      name,
    )
  }
  await assert.rejects(
    run('skopeo', ['inspect', '--tls-verify=false', `${registry}/team/app:none`]),
  )
  assert.match(await ofCache(node, `/v2/team/app/blobs/${layer.digest}`), /immutable/)
  assert.match(await ofCache(node, '/v2/team/app/manifests/latest'), /must-revalidate/)
})

for (const { kind, list, format } of [
  {
    kind: 'HLS',
    list: 'live.m3u8',
    format: [
      '-f',
      'hls',
      '-hls_time',
      '1',
      '-hls_list_size',
      '5',
      '-hls_flags',
      'temp_file+delete_segments',
    ],
  },
  {
    kind: 'DASH',
    list: 'live.mpd',
    format: ['-f', 'dash', '-seg_duration', '1', '-window_size', '5', '-extra_window_size', '5'],
  },
])
  test(`FFmpeg plays ${kind} while it is written`, async (t) => {
    const { node, root, base } = await serve(t, 'HLS and DASH', {})
    const source = [
      '-re',
      '-f',
      'lavfi',
      '-i',
      'testsrc=size=160x120:rate=25',
      '-t',
      '25',
      '-g',
      '10',
    ]
    const writer = spawn(
      'ffmpeg',
      ['-v', 'error', ...source, '-c:v', 'mpeg2video', ...format, join(root, list)],
      { stdio: 'ignore' },
    )
    const ended = new Promise((resolve) => writer.once('close', resolve))
    t.after(async () => {
      writer.kill()
      await ended
    })
    await until(() => existsSync(join(root, list)) && readdirSync(root).length > 4, 'segments')
    const copy = join(tempFolder(t), 'copy.nut')
    await run('ffmpeg', ['-v', 'error', '-i', `${base}/${list}`, '-t', '8', '-c', 'copy', copy])
    const { stdout } = await run('ffprobe', [
      '-v',
      'error',
      '-count_packets',
      '-show_entries',
      'stream=nb_read_packets',
      '-of',
      'csv=p=0',
      copy,
    ])
    assert.ok(Number.parseInt(stdout, 10) >= 180, `${stdout.trim()} pictures of 200`)
    assert.match(await ofCache(node, `/${list}`), /max-age=1$/)
    assert.equal((await get(node.port, `/${list}`)).headers['access-control-allow-origin'], '*')
  })

test('zsync fetches what it does not have', async (t) => {
  const image = randomBytes(8 << 20)
  const { node, root, base } = await serve(t, 'Large images: zsync and BitTorrent', {
    'cd.iso': image,
  })
  await run('zsyncmake', ['-u', 'cd.iso', '-o', join(root, 'cd.iso.zsync'), join(root, 'cd.iso')])
  const home = tempFolder(t)
  const old = Buffer.from(image)
  for (let at = 0; at < old.length; at += 1 << 20) randomBytes(5000).copy(old, at)
  writeFileSync(join(home, 'old.iso'), old)
  const before = await node.counter('bytesSent')
  await run('zsync', ['-q', '-i', 'old.iso', `${base}/cd.iso.zsync`], { cwd: home })
  assert.deepEqual(readFileSync(join(home, 'cd.iso')), image)
  const sent = (await node.counter('bytesSent')) - before
  assert.ok(sent < 1 << 20, `${sent} bytes were sent`)
})

test('aria2 takes the web seed for a peer', async (t) => {
  const image = randomBytes(6 << 20)
  const { root, base } = await serve(t, 'Large images: zsync and BitTorrent', { 'cd.iso': image })
  const made = join(tempFolder(t), 'cd.torrent')
  await run('mktorrent', ['-l', '18', '-w', `${base}/cd.iso`, '-o', made, join(root, 'cd.iso')])
  renameSync(made, join(root, 'cd.torrent'))
  const home = tempFolder(t)
  const quiet = [
    '--enable-dht=false',
    '--bt-enable-lpd=false',
    '--enable-peer-exchange=false',
    '--seed-time=0',
    '-q',
  ]
  await run('aria2c', [...quiet, '--follow-torrent=mem', '-d', home, `${base}/cd.torrent`])
  assert.deepEqual(readFileSync(join(home, 'cd.iso')), image)
})
