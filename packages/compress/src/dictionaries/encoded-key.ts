import type { SentFile } from '@fw/http-fields'
import type { Context, OutgoingResponse } from '@fw/types'
import type { DictionaryCoding } from './codecs.ts'
import { type Dictionary, keyOf } from './dictionary.ts'

/**
 * Returns the key of an encoded response in memory. That of a file does not depend on the URL: clients can choose the query.
 *
 * @param file The file that the response sends
 * @returns `undefined` without a strong tag, because the bytes can then change
 */
export function encodedKey(
  { headers }: OutgoingResponse,
  ctx: Context,
  file: SentFile | undefined,
  coding: DictionaryCoding,
  { digest }: Dictionary,
): string | undefined {
  const etag = headers.get('etag')
  if (etag === null || etag.startsWith('W/')) return undefined
  const body = file === undefined ? `url ${ctx.exchange.authority} ${ctx.path}?${ctx.rawQuery}` : `file ${file.path}`
  return `${coding} ${keyOf(digest)} ${etag} ${body}`
}
