// SPDX-License-Identifier: MIT
// Contents, each under its SHA-256. A part is sent with Content-Range (RFC 9110, 14.5): the resource has its name before
// it has its bytes, so nothing needs to be begun, and a part sent twice does no harm.
import type { IncomingMessage } from 'node:http'
import { Type } from 'typebox'
import type { App } from '../../http/app-types.ts'
import { limits } from '../../plugins/limits.ts'
import type { NoRoom } from '../../release-store/room.ts'
import type { Received } from '../../release-store/uploads.ts'
import { partOf } from './content-range.ts'
import type { Deps } from './deps.ts'
import {
  BlobBatchInvalid,
  BlobBusy,
  BlobDiffers,
  BlobLength,
  BlobOffset,
  BlobPartTooLarge,
  BlobRange,
  ReleaseStoreFull,
} from './errors.ts'
import {
  BATCH_LIMITS,
  BATCH_MOST_BYTES,
  BlobBatchSchema,
  BlobStateSchema,
  PART_MOST_BYTES,
  PartHeadersSchema,
  Sha256ParamsSchema,
} from './schema.ts'

const tags = ['releases']
const params = Sha256ParamsSchema
const BYTES = 'application/octet-stream'

/** Who sends neither a length nor pieces sends nothing. */
const lengthOf = ({ headers }: IncomingMessage) =>
  headers['content-length'] ?? (headers['transfer-encoding'] === undefined ? '0' : undefined)

export const blobRoutes = (deps: Deps) => async (api: App) => {
  const { uploads, receiveBatch, room } = deps.contents

  api.get(
    '/blobs/:sha256',
    {
      config: { permission: 'releases:read', rateLimit: limits.pieces, errors: [] },
      schema: {
        operationId: 'getBlob',
        tags,
        summary: 'How much of a content is here',
        description:
          'Of one that nobody sent yet: nothing. No 404, so that one question is enough.',
        params,
        response: { 200: BlobStateSchema },
      },
    },
    async ({ params: { sha256 } }) => ({ sha256, ...(await uploads.state(sha256)) }),
  )

  // Elsewhere only JSON is read: a scope of its own, so that no other route takes bytes.
  await api.register(async (app: App) => {
    app.removeAllContentTypeParsers()
    app.addContentTypeParser(BYTES, (_request, _payload, done) => done(null))

    app.put(
      '/blobs/:sha256',
      {
        config: {
          permission: 'releases:write',
          rateLimit: limits.pieces,
          streamedBytes: PART_MOST_BYTES,
          errors: [
            ...[BlobBusy, BlobDiffers, BlobLength, BlobOffset, BlobPartTooLarge, BlobRange],
            ReleaseStoreFull,
          ],
        },
        schema: {
          operationId: 'putBlob',
          tags,
          summary: 'Send a content, whole or in parts, in order',
          description:
            'With `Content-Range: bytes FIRST-LAST/ALL` it is a part, which goes on where GET says or begins again at 0. The last part makes it whole when all bytes have the digest. What is whole already is not read again.',
          params,
          headers: PartHeadersSchema,
          body: { content: { [BYTES]: { schema: Type.Unsafe<undefined>({}) } } },
          response: { 200: BlobStateSchema },
        },
      },
      async ({ params: { sha256 }, headers, raw }) => {
        const part = partOf(headers['content-range'], lengthOf(raw))
        if (!part.ok) throw new BlobRange(part.what)
        const { fromBytes, endBytes } = part
        if (endBytes - fromBytes > PART_MOST_BYTES) throw new BlobPartTooLarge(PART_MOST_BYTES)
        const received = await uploads.receive(sha256, part, raw)
        if (!received.ok) throw refusalOf(sha256, received)
        const { isWhole, receivedBytes } = received
        return { sha256, isWhole, receivedBytes }
      },
    )

    app.post(
      '/blobs',
      {
        config: {
          permission: 'releases:write',
          rateLimit: limits.pieces,
          streamedBytes: BATCH_MOST_BYTES,
          // A content that is sent twice is there once.
          idempotency: false,
          errors: [BlobBatchInvalid, BlobPartTooLarge, BlobRange, ReleaseStoreFull],
        },
        schema: {
          operationId: 'postBlobs',
          tags,
          summary: 'Send many small contents at once',
          description: `Before each a line "SHA256 SIZE" that ends with a newline. At most ${BATCH_LIMITS.contents} contents of at most ${BATCH_LIMITS.contentBytes} bytes, and ${BATCH_MOST_BYTES} bytes in all. Each is compared with its digest by itself: what is wrong is named, and the others are kept.`,
          body: { content: { [BYTES]: { schema: Type.Unsafe<undefined>({}) } } },
          response: { 200: BlobBatchSchema },
        },
      },
      async ({ raw }) => {
        const length = partOf(undefined, lengthOf(raw))
        if (!length.ok) throw new BlobRange(length.what)
        if (length.totalBytes > BATCH_MOST_BYTES) throw new BlobPartTooLarge(BATCH_MOST_BYTES)
        if (length.totalBytes === 0) throw new BlobBatchInvalid('nothing was sent')
        const received = await receiveBatch(raw, BATCH_LIMITS)
        if (received.ok) {
          const { kept, known, refused } = received
          return { kept, known, refused }
        }
        if (received.reason === 'frame') throw new BlobBatchInvalid(received.what)
        throw storeFull(received.room)
      },
    )
  })

  function refusalOf(sha256: string, refused: Extract<Received, { ok: false }>): Error {
    switch (refused.reason) {
      case 'busy':
        return new BlobBusy(sha256)
      case 'offset':
        return new BlobOffset(sha256, refused.receivedBytes)
      case 'differs':
        return new BlobDiffers(sha256, refused.sha256)
      case 'length':
        return new BlobLength(sha256)
      case 'room':
        return storeFull(refused.room)
    }
  }

  function storeFull({ freeBytes, reason }: NoRoom): Error {
    return new ReleaseStoreFull(freeBytes, room.usedBytes(), room.mostBytes, reason === 'setting')
  }
}
