export { jwt, type JwtOptions, type VerificationKey } from './jwt/jwt.ts'
