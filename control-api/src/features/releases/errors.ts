// SPDX-License-Identifier: MIT
import { defineError } from '../../api-shapes/errors.ts'

export const ParentNotLatest = defineError(
  409,
  'parent_not_latest',
  'Somebody made a version meanwhile',
  (name: string, latest: number | null, parent: number | null) =>
    `The latest version of "${name}" is ${latest ?? 'none'}, not ${parent ?? 'none'}. Look at what changed, then make yours with parent ${latest}.`,
)
export const ReleaseNotEmpty = defineError(
  409,
  'release_not_empty',
  'The release has versions',
  (name: string) => `"${name}" has versions. Remove those you no longer need, then the release.`,
)
export const ManifestNotFound = defineError(
  404,
  'manifest_not_found',
  'No such manifest',
  (sha256: string) =>
    `There is no manifest ${sha256}, or no version is of it and nobody wanted it of late. Upload its text with PUT /api/v1/blobs/${sha256}, then PUT /api/v1/manifests/${sha256}.`,
)
export const ManifestNotUploaded = defineError(
  409,
  'manifest_not_uploaded',
  'The manifest’s text is not here',
  (sha256: string) =>
    `Upload the manifest’s text first, with PUT /api/v1/blobs/${sha256}; then say that it is one.`,
)
export const ManifestInvalid = defineError(
  422,
  'manifest_invalid',
  'The manifest has errors',
  (count: number) =>
    `The manifest has ${count === 1 ? 'an error' : `${count} errors or more`}; nothing was made. Each entry of "errors" says in which line, of which path, and what.`,
)
export const BlobsMissing = defineError(
  409,
  'blobs_missing',
  'Contents are missing',
  (manifest: string, sha256: string) =>
    `Not all contents that manifest ${manifest} names are here; the first that is missing is ${sha256}. GET /api/v1/manifests/${manifest}/missing lists them: upload them, then make the version again.`,
)
export const BlobSizeDiffers = defineError(
  409,
  'blob_size_differs',
  'A content has another size',
  (sha256: string, said: number, is: number) =>
    `The manifest says that ${sha256} has ${said} bytes, and it has ${is}. Make the manifest again from the files as they are.`,
)
export const ContentGone = defineError(
  410,
  'release_content_gone',
  'The contents are not on this disk',
  (sha256: string) =>
    `This control plane knows the manifest ${sha256} but has not its text (the folder "releases" is no part of backups, and was not copied), or its disk has changed it. Copy the folder from where it is right, or push the same files again with farmctl releases push --again: they get the same names.`,
)
export const BlobBusy = defineError(
  409,
  'upload_under_way',
  'Somebody uploads this already',
  (sha256: string) => `Another request sends ${sha256} just now. Wait for it, then ask what came.`,
)
export const BlobOffset = defineError(
  409,
  'upload_offset_differs',
  'The upload goes on elsewhere',
  (sha256: string, receivedBytes: number) =>
    `Of ${sha256} there are ${receivedBytes} bytes. Go on with the byte ${receivedBytes}, or begin with 0.`,
)
export const BlobDiffers = defineError(
  422,
  'blob_differs',
  'These bytes have another digest',
  (sha256: string, found: string) =>
    `The bytes that came for ${sha256} have the SHA-256 ${found}, and were thrown away. The file changed while it was sent, or the way altered it: read it again and send it from the start.`,
)
export const BlobLength = defineError(
  400,
  'blob_length_differs',
  'The body has another length than it says',
  (sha256: string) =>
    `The body for ${sha256} is longer or shorter than its Content-Range says. What came in order is kept; ask GET /api/v1/blobs/${sha256} where to go on.`,
)
export const BlobRange = defineError(
  422,
  'blob_range_invalid',
  'Which bytes these are is not said',
  (what: string) =>
    `${what}. Send Content-Length, and for a part of a content "Content-Range: bytes FIRST-LAST/ALL" (RFC 9110, 14.5).`,
)
export const BlobPartTooLarge = defineError(
  413,
  'too_large',
  'The part is too large',
  (most: number) => `A part has at most ${most} bytes. Send the content in several, in order.`,
)
export const BlobBatchInvalid = defineError(
  422,
  'blob_batch_invalid',
  'The contents can’t be told apart',
  (what: string) =>
    `${what}. What came whole before it is kept. Send before each content a line "SHA256 SIZE" that ends with a newline; larger contents go by PUT /api/v1/blobs/{sha256}.`,
)
export const ReleaseStoreFull = defineError(
  507,
  'release_store_full',
  'There is no room for releases',
  (freeBytes: number, usedBytes: number, mostBytes: number, bySetting: boolean) =>
    bySetting
      ? `Contents of releases take ${usedBytes} of ${mostBytes} bytes, so ${freeBytes} are left. Remove versions that you no longer need (their contents go a while later), or raise FARMSTEAD_RELEASES_STORE_GIB.`
      : `The disk of the data folder has ${freeBytes} bytes left for releases. Free some, or remove versions that you no longer need.`,
)
export const FileNotFound = defineError(
  404,
  'file_not_found',
  'No such file in it',
  (path: string, link: string | null) =>
    link === null
      ? `The manifest names no file ${JSON.stringify(path)}. GET …/files lists them.`
      : `${JSON.stringify(path)} is a link to ${JSON.stringify(link)}: ask for that file.`,
)
export const ReleaseInUse = defineError(
  409,
  'release_in_use',
  'The version is in use',
  (name: string, number: number, uses: readonly string[]) =>
    `Version ${number} of "${name}" is needed: ${uses.join('; ')}. Roll another version out first, or take the release out of the config.`,
)
