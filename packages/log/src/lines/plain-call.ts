import { threadId } from 'node:worker_threads'
import type { SourceLocation } from '@fw/types'
import { escapeLine, escapeLines } from '../text/escape.ts'
import { showArgument } from '../format/apply-spec.ts'
import { formatMessage, templateOf } from '../format/format.ts'
import { Level } from '../level.ts'
import { LineBuffer, LONG_TEXT } from '../text/line-buffer.ts'
import { compileHead, type LineParts, type LineTarget, shownPlace } from './pattern.ts'

/**
 * A call with only strings and numbers as arguments. A sink can write its line directly, without creating a record or a
 * message, because formatting does not run application code.
 */
export class PlainCall {
  /** The severity. */
  level: Level = Level.Off
  /** Milliseconds since the Unix epoch. */
  // With NaN, V8 stores the field as a floating-point number from the beginning.
  timeMs: number = Number.NaN
  /** The place of the log call; `undefined` if it is unknown or no sink reads it. */
  location: SourceLocation | undefined = undefined
  /** The text before the message; never treated as a format. */
  prefix = ''
  /** The format of the message. */
  format = ''
  /** The arguments of the format: strings and numbers. */
  args: readonly unknown[] = []

  /** Whether the message needs no formatting and is short enough to be encoded together with other messages. */
  get isReady(): boolean {
    return this.args.length === 0 && this.prefix.length + this.format.length <= LONG_TEXT
  }

  /**
   * Changes this object to represent a new call, with the current time. A logger reuses one object for all calls, because sinks
   * do not keep it.
   */
  renew(
    level: Level,
    location: SourceLocation | undefined,
    prefix: string,
    format: string,
    args: readonly unknown[],
  ): void {
    this.level = level
    this.timeMs = Date.now()
    this.location = location
    this.prefix = prefix
    this.format = format
    this.args = args
  }
}

/** Reports whether a `PlainCall` can contain these arguments. */
export function arePlain(args: readonly unknown[]): boolean {
  for (let at = 0; at < args.length; at++) {
    const value = args[at]
    if (typeof value !== 'string' && typeof value !== 'number') return false
  }
  return true
}

/** Formats calls in the default form, as `compilePattern` formats their records. */
export interface PlainForm {
  /** Returns the line with its line break. Valid until the next call. */
  lineOf(call: PlainCall): LineBuffer
  /** Returns the text before the message. */
  startOf(call: PlainCall): string
}

/** Compiles the default form for calls. */
export function compilePlainForm(parts: LineParts, { paint, multiline = false }: LineTarget = {}): PlainForm {
  const { showLocation, showThreadId } = parts
  const escape = multiline ? escapeLines : escapeLine
  const headOf = compileHead(parts, paint)
  const shownThread = showThreadId ? `[t:${threadId}] ` : ''
  const line = new LineBuffer()
  // Most lines begin like the previous one, so keep that beginning in the buffer.
  let head = ''
  let headLength = 0
  return {
    lineOf(call) {
      const newHead = headOf(call.timeMs, call.level)
      if (newHead !== head) {
        line.rewind(0)
        line.addText(newHead + shownThread)
        head = newHead
        headLength = line.length
      } else line.rewind(headLength)
      if (showLocation && call.location !== undefined) addShown(line, shownPlace(call.location))
      const start = line.length
      if (!addPlainMessage(line, call)) {
        line.rewind(start)
        line.addText(escape(call.prefix + formatMessage(call.format, call.args)))
      }
      line.addLineBreak()
      return line
    },
    startOf({ timeMs, level, location }) {
      const place = showLocation && location !== undefined ? shownPlace(location) : ''
      return headOf(timeMs, level) + shownThread + place
    },
  }
}

function addShown(line: LineBuffer, text: string): void {
  const start = line.length
  if (line.addPlain(text)) return
  line.rewind(start)
  line.addText(text)
}

/** @returns False if the message is not printable ASCII, or the arguments do not match the placeholders */
function addPlainMessage(line: LineBuffer, { prefix, format, args }: PlainCall): boolean {
  if (prefix !== '' && !line.addPlain(prefix)) return false
  if (args.length === 0) return line.addPlain(format)
  const { plainTexts, fields, arity } = templateOf(format)
  if (plainTexts === undefined || args.length !== arity) return false
  for (let at = 0; at < fields.length; at++) {
    line.addAll(plainTexts[at] as LineBuffer)
    const { index, spec } = fields[at] as (typeof fields)[number]
    const value = args[index]
    if (spec !== undefined) {
      if (!line.addPlain(showArgument(spec, args, index))) return false
    } else if (typeof value === 'number') line.addNumber(value)
    else if (!line.addPlain(value as string)) return false
  }
  line.addAll(plainTexts[fields.length] as LineBuffer)
  return true
}
