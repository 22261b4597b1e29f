import { showType, showValue, withCode } from '@fw/options'
import type { FieldList, ResponseHeaders } from '@fw/types'
import { checkField } from '../engine/fields/field-rules.ts'

const NONE: FieldList = []

/** Reports whether the head was sent, and receives changes that are made too late. */
export interface HeadSender {
  /** Whether the head was sent. Later changes have no effect. */
  readonly headSent: boolean
  /** Reports a change that has no effect. */
  onLateChange(what: string): void
}

/**
 * Stores response fields in the order in which they were first set. Ignores changes after the head was sent, so that an
 * access log shows the fields that the client received.
 */
export class ResponseHeaderList implements ResponseHeaders {
  readonly #sender: HeadSender | undefined
  #fields: FieldList = NONE
  /** The list, once it is a private copy. A list from the caller is copied before the first change. */
  #own: string[] | undefined = undefined

  /**
   * @param sender Omit it for a list that is not sent itself
   * @param fields Initial fields, which are set even if the head was sent
   */
  constructor(sender?: HeadSender, fields: FieldList = NONE) {
    this.#sender = sender
    this.#fields = fields
  }

  get(name: string): string | null {
    const fields = this.#fields
    const wanted = name.toLowerCase()
    let joined: string | null = null
    for (let i = 0; i < fields.length; i += 2) {
      if (fields[i] === wanted) joined = joined === null ? (fields[i + 1] ?? '') : `${joined}, ${fields[i + 1]}`
    }
    return joined
  }

  getAll(name: string): readonly string[] {
    const fields = this.#fields
    const wanted = name.toLowerCase()
    const values: string[] = []
    for (let i = 0; i < fields.length; i += 2) if (fields[i] === wanted) values.push(fields[i + 1] ?? '')
    return values
  }

  has(name: string): boolean {
    return this.#indexOf(name.toLowerCase()) !== -1
  }

  set(name: string, value: string): void {
    const wanted = name.toLowerCase()
    checkText(wanted, value)
    checkField(wanted, value)
    if (this.#isLate(wanted)) return
    const index = this.#indexOf(wanted)
    const fields = this.#changeable
    if (index === -1) {
      fields.push(wanted, value)
      return
    }
    fields[index + 1] = value
    this.#drop(wanted, index + 2)
  }

  setAll(fields: FieldList): void {
    if (this.#isLate(fields[0] ?? '')) return
    if (this.#fields.length === 0) {
      this.#fields = fields
      this.#own = undefined
      return
    }
    for (let i = 0; i < fields.length; i += 2) this.delete(fields[i] ?? '')
    this.#changeable.push(...fields)
  }

  append(name: string, value: string): void {
    const lower = name.toLowerCase()
    checkText(lower, value)
    checkField(lower, value)
    if (this.#isLate(lower)) return
    this.#changeable.push(lower, value)
  }

  delete(name: string): void {
    const lower = name.toLowerCase()
    if (this.#indexOf(lower) === -1 || this.#isLate(lower)) return
    this.#drop(lower, 0)
  }

  *[Symbol.iterator](): IterableIterator<[name: string, value: string]> {
    const fields = this.#fields
    for (let i = 0; i < fields.length; i += 2) yield [fields[i] ?? '', fields[i + 1] ?? '']
  }

  /** The fields in the form that an exchange sends. */
  get fields(): FieldList {
    return this.#fields
  }

  #isLate(name: string): boolean {
    if (this.#sender?.headSent !== true) return false
    this.#sender.onLateChange(`field ${name} was changed`)
    return true
  }

  get #changeable(): string[] {
    if (this.#own === undefined) this.#fields = this.#own = [...this.#fields]
    return this.#own
  }

  #indexOf(name: string): number {
    const fields = this.#fields
    for (let i = 0; i < fields.length; i += 2) if (fields[i] === name) return i
    return -1
  }

  /** Removes the fields with that name from index `start` on. */
  #drop(name: string, start: number): void {
    if (this.#own === undefined && this.#indexOf(name) === -1) return
    const fields = this.#changeable
    let kept = start
    for (let i = start; i < fields.length; i += 2) {
      if (fields[i] === name) continue
      fields[kept] = fields[i] ?? ''
      fields[kept + 1] = fields[i + 1] ?? ''
      kept += 2
    }
    if (kept < fields.length) fields.length = kept
  }
}

/** Rejects numbers and `undefined`, which JavaScript callers can pass. */
function checkText(name: string, value: unknown): void {
  if (typeof value === 'string') return
  throw withCode(
    'FW_INVALID_HEADER',
    new TypeError(
      `response: value of field ${showValue(name)} must be a string, got ${showType(value)}. Convert it with String().`,
    ),
  )
}
