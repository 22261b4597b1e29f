export { acceptedCodings } from './accepted-codings.ts'
export { matchesStrongly, matchesWeakly } from './entity-tag.ts'
export { FileRequest, type SentFile, type Sidecar } from './file-request.ts'
export { formatHttpDate, parseHttpDate } from './http-date.ts'
export { parseDictionary, parseItem, parseList } from './parse-structured.ts'
export { evaluatePreconditions, holdsIfRange, type PreconditionVerdict, type Validators } from './preconditions.ts'
export { serializeDictionary, serializeItem, serializeList, type ParameterInput } from './serialize-structured.ts'
export {
  DisplayText,
  Token,
  type BareItem,
  type InnerList,
  type Item,
  type Member,
  type Parameters,
} from './structured-value.ts'
export { addVary } from './vary.ts'
export { parseWeights } from './weights.ts'
