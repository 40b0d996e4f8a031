// The parts of the MCP SDK that serve.ts uses, so that the bundle has no others. Loaded with the first request.
export {
  Server,
  createMcpHandler,
  isJsonContentType,
  localhostAllowedOrigins,
  originValidationResponse,
  readRequestBody,
} from "@modelcontextprotocol/server";
