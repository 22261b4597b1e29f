import { H3Frame, h3Frame, H3StreamType } from '@fw/testing/h3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ErrorCode } from '../../src/http3/errors.ts'
import type { Http3Server } from '../serve-http3.ts'
import { ask, both, broken, ended, request, serveBody, unidirectional, type Act } from './raw-acts.ts'

const { QPACK_DECODER, QPACK_ENCODER } = H3StreamType
const { HEADERS } = H3Frame

type Code = keyof typeof ErrorCode

let server: Http3Server

beforeAll(async () => void (server = await serveBody()))
afterAll(() => server[Symbol.asyncDispose]())

describe('a QPACK error', () => {
  it.each<[section: string, code: Code, what: string, act: Act]>([
    [
      '9204 §2.2.3',
      'QPACK_DECOMPRESSION_FAILED',
      'fields that refer to a dynamic table',
      request(h3Frame(HEADERS, Buffer.from('000080', 'hex'))),
    ],
    [
      '9204 §4.1.1',
      'QPACK_DECOMPRESSION_FAILED',
      'an integer that is too large',
      request(h3Frame(HEADERS, Buffer.from(`0000ff${'ff'.repeat(9)}01`, 'hex'))),
    ],
    [
      '9204 §4.1.2',
      'QPACK_DECOMPRESSION_FAILED',
      'a truncated string',
      request(h3Frame(HEADERS, Buffer.from('0000510561', 'hex'))),
    ],
    [
      '9204 §4.1.2',
      'QPACK_DECOMPRESSION_FAILED',
      'Huffman code with EOS',
      request(h3Frame(HEADERS, Buffer.from('00005184ffffffff', 'hex'))),
    ],
    [
      '9204 §4.1.2',
      'QPACK_DECOMPRESSION_FAILED',
      'Huffman code padded with more than 7 bits',
      request(h3Frame(HEADERS, Buffer.from('000051821fff', 'hex'))),
    ],
    [
      '9204 §4.1.2',
      'QPACK_DECOMPRESSION_FAILED',
      'Huffman code padded with zeros',
      request(h3Frame(HEADERS, Buffer.from('0000518118', 'hex'))),
    ],
    [
      '9204 §4.2',
      'STREAM_CREATION_ERROR',
      'a second encoder stream',
      both(unidirectional(QPACK_ENCODER), unidirectional(QPACK_ENCODER)),
    ],
    [
      '9204 §4.2',
      'STREAM_CREATION_ERROR',
      'a second decoder stream',
      both(unidirectional(QPACK_DECODER), unidirectional(QPACK_DECODER)),
    ],
    ['9204 §4.2', 'CLOSED_CRITICAL_STREAM', 'the end of the encoder stream', ended(QPACK_ENCODER)],
    ['9204 §4.2', 'CLOSED_CRITICAL_STREAM', 'the end of the decoder stream', ended(QPACK_DECODER)],
    ['9204 §4.2', 'CLOSED_CRITICAL_STREAM', 'the reset of the encoder stream', broken(QPACK_ENCODER)],
    ['9204 §4.2', 'CLOSED_CRITICAL_STREAM', 'the reset of the decoder stream', broken(QPACK_DECODER)],
    ['9204 §4.3.1', 'QPACK_ENCODER_STREAM_ERROR', 'a capacity above the limit', unidirectional(QPACK_ENCODER, '3f01')],
    [
      '9204 §4.3.2',
      'QPACK_ENCODER_STREAM_ERROR',
      'an insertion with a name from the static table',
      unidirectional(QPACK_ENCODER, 'c10161'),
    ],
    [
      '9204 §4.3.3',
      'QPACK_ENCODER_STREAM_ERROR',
      'an insertion with a literal name',
      unidirectional(QPACK_ENCODER, '41610161'),
    ],
    [
      '9204 §4.3.4',
      'QPACK_ENCODER_STREAM_ERROR',
      'a duplicate of a missing entry',
      unidirectional(QPACK_ENCODER, '00'),
    ],
    [
      '9204 §4.4.1',
      'QPACK_DECODER_STREAM_ERROR',
      'an acknowledgment of a section without dynamic references',
      unidirectional(QPACK_DECODER, '80'),
    ],
    [
      '9204 §4.1.1',
      'QPACK_DECODER_STREAM_ERROR',
      'a stream ID beyond 62 bits',
      unidirectional(QPACK_DECODER, `7f${'80'.repeat(10)}01`),
    ],
    [
      '9204 §4.4.3',
      'QPACK_DECODER_STREAM_ERROR',
      'an increment without insertions',
      unidirectional(QPACK_DECODER, '01'),
    ],
    ['9204 §4.4.3', 'QPACK_DECODER_STREAM_ERROR', 'an increment by 0', unidirectional(QPACK_DECODER, '00')],
    [
      '9204 §4.5.1',
      'QPACK_DECOMPRESSION_FAILED',
      'a Required Insert Count above 0',
      request(h3Frame(HEADERS, Buffer.from('0200d1', 'hex'))),
    ],
    [
      '9204 §4.5.1.2',
      'QPACK_DECOMPRESSION_FAILED',
      'a Base below 0',
      request(h3Frame(HEADERS, Buffer.from('0080d1', 'hex'))),
    ],
    [
      '9204 §4.5.2',
      'QPACK_DECOMPRESSION_FAILED',
      'index 99 in the static table',
      request(h3Frame(HEADERS, Buffer.from('0000ff24', 'hex'))),
    ],
    [
      '9204 §4.5.3',
      'QPACK_DECOMPRESSION_FAILED',
      'a post-base field',
      request(h3Frame(HEADERS, Buffer.from('000010', 'hex'))),
    ],
    [
      '9204 §4.5.5',
      'QPACK_DECOMPRESSION_FAILED',
      'a post-base name',
      request(h3Frame(HEADERS, Buffer.from('0000000161', 'hex'))),
    ],
  ])('follows RFC %s: %s for %s', async (_section, code, _what, act) => {
    const client = await server.connect({ withoutControlStream: true })
    await act(client)
    expect(await client.connection.closeWithin(15_000)).toEqual({
      by: 'server',
      isApplication: true,
      code: ErrorCode[code],
    })
    expect(await ask(await server.connect(), 'another')).toBe('another')
  })
})
