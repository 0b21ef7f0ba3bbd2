// SPDX-License-Identifier: MIT
// Below which path of its host the console lives, with a slash at the end. The control plane writes it into
// the document it sends (FARMSTEAD_BASE_PATH); a document without it is at the root, or vite's.
export const basePath =
  document.querySelector<HTMLMetaElement>('meta[name="farmstead-base"]')?.content ??
  import.meta.env.BASE_URL
