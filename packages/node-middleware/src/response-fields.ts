import { type OutgoingHttpHeader, type OutgoingHttpHeaders, validateHeaderName, validateHeaderValue } from 'node:http'
import { showType, showValue, withCode } from '@fw/options'
import type { FieldList, ResponseHeaders } from '@fw/types'

/** Fields in a form that `writeHead` accepts. */
export type NodeFields =
  | OutgoingHttpHeaders
  | readonly OutgoingHttpHeader[]
  | readonly (readonly [name: string, value: OutgoingHttpHeader])[]

/**
 * Replaces a field. An array becomes one field for each value.
 *
 * @throws {TypeError} if the name or a value cannot be sent
 */
export function setField(fields: ResponseHeaders, name: string, value: unknown): void {
  if (typeof value === 'string') return fields.set(name, value)
  checkDefined(name, value)
  if (!Array.isArray(value)) return fields.set(name, String(value))
  fields.delete(name)
  for (const each of value as unknown[]) appendOne(fields, name, each)
}

/** Adds fields and keeps those with the same name. @throws {TypeError} like `setField` */
export function appendField(fields: ResponseHeaders, name: string, value: unknown): void {
  for (const each of Array.isArray(value) ? (value as unknown[]) : [value]) appendOne(fields, name, each)
}

/** Returns the value, or an array if the response has several fields with that name. */
export function fieldOf(fields: ResponseHeaders, name: string): string | string[] | undefined {
  const [first, ...others] = fields.getAll(name)
  return first === undefined || others.length === 0 ? first : [first, ...others]
}

/** Returns all fields by name. */
export function allFields(fields: ResponseHeaders): Record<string, string | string[]> {
  const all: Record<string, string | string[]> = Object.create(null)
  for (const name of fieldNames(fields)) all[name] = fieldOf(fields, name) ?? ''
  return all
}

/** Returns the names of the fields, each once. */
export function fieldNames(fields: ResponseHeaders): string[] {
  return [...new Set(Array.from(fields, ([name]) => name))]
}

/**
 * Sets the fields of `writeHead` or `addTrailers`: an object, a flat array of names and values, or an array of pairs. An array can
 * contain a name more than once. Fields that were set before are replaced.
 *
 * @throws {TypeError} if an array is malformed or a field cannot be sent
 */
export function setFields(fields: ResponseHeaders, given: NodeFields): void {
  const pairs = pairsOf(given)
  for (const [name] of pairs) fields.delete(name)
  for (const [name, value] of pairs) appendField(fields, name, value)
}

/** Returns fields in the form that an exchange sends. @throws {TypeError} if an array is malformed or a value is missing */
export function fieldList(given: NodeFields): FieldList {
  const list: string[] = []
  for (const [name, value] of pairsOf(given)) {
    for (const each of Array.isArray(value) ? (value as unknown[]) : [value]) {
      checkDefined(name, each)
      list.push(name.toLowerCase(), String(each))
    }
  }
  return list
}

/** Returns trailer fields in the form that an exchange sends. @throws {TypeError} like Node.js, if one of them is invalid */
export function trailerList(given: NodeFields): FieldList {
  const list = fieldList(given)
  for (let i = 0; i < list.length; i += 2) {
    validateHeaderName(list[i] ?? '')
    validateHeaderValue(list[i] ?? '', list[i + 1] ?? '')
  }
  return list
}

function pairsOf(given: NodeFields): (readonly [name: string, value: unknown])[] {
  if (!Array.isArray(given)) return Object.entries(given)
  return pairsOfArray(given)
}

function pairsOfArray(given: readonly unknown[]): (readonly [name: string, value: unknown])[] {
  if (Array.isArray(given[0]))
    return (given as readonly [unknown, unknown][]).map(([name, value]) => [String(name), value])
  if (given.length % 2 !== 0) {
    throw withCode(
      'FW_INVALID_HEADER',
      new TypeError(`writeHead: headers must have a value for each name, got ${given.length} elements.`),
    )
  }
  return Array.from({ length: given.length / 2 }, (_, i) => [String(given[2 * i]), given[2 * i + 1]])
}

function appendOne(fields: ResponseHeaders, name: string, value: unknown): void {
  checkDefined(name, value)
  fields.append(name, String(value))
}

function checkDefined(name: unknown, value: unknown): void {
  if (typeof name === 'string' && value !== undefined) return
  throw withCode(
    'FW_INVALID_HEADER',
    new TypeError(`setHeader: value of field ${showValue(name)} must be a string, got ${showType(value)}.`),
  )
}
