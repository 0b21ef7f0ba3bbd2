// SPDX-License-Identifier: MIT
// A backup's files as a tar: plain files in one folder. Anybody's `tar` reads what is written here; what is
// read here is only what was written here.
import { createTarDecoder, createTarPacker } from 'modern-tar'

export type Member = { name: string; sizeBytes: number; content: AsyncIterable<Uint8Array> }
export type MemberTaker = (member: Member) => Promise<void>

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/

export async function* writeTar(
  members: Iterable<Member> | AsyncIterable<Member>,
): AsyncGenerator<Uint8Array> {
  const { readable, controller } = createTarPacker()
  const add = async () => {
    for await (const { name, sizeBytes, content } of members) {
      if (!NAME.test(name)) throw new Error(`${name} cannot be a part of a backup`)
      const facts = { name, size: sizeBytes, mode: 0o600, mtime: new Date(0) }
      await ReadableStream.from(content).pipeTo(controller.add(facts))
    }
    controller.finalize()
  }
  add().catch((error: unknown) => controller.error(error))
  yield* readable
}

/** Each member's content must be read before the taker resolves; what it left is skipped. */
export async function readTar(stream: AsyncIterable<Uint8Array>, take: MemberTaker): Promise<void> {
  const decoder = createTarDecoder({ strict: true })
  // To the end of the stream: only there the encryption says whether it was all.
  for await (const { header, body } of ReadableStream.from(stream).pipeThrough(decoder)) {
    const { name, size: sizeBytes, type } = header
    if (type !== 'file' || !NAME.test(name)) {
      throw new Error('what is inside is no backup of a control plane')
    }
    await take({ name, sizeBytes, content: body })
    for await (const _ of body);
  }
}
