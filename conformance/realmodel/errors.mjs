// Errors in the shape of OpenAI's API: {"error": {message, type, param, code}}.

/** ApiError is a refusal that its caller is to see. Its message holds nothing of the prompt. */
export class ApiError extends Error {
  constructor(status, message, { type = "invalid_request_error", param = null, code = null, headers = {} } = {}) {
    super(message);
    Object.assign(this, { status, headers, body: { error: { message, type, param, code } } });
  }
}

export const invalid = (param, message, code = "invalid_value") => new ApiError(400, message, { param, code });

export const unsupported = (param, message) => invalid(param, message, "unsupported_value");

export const badKey = () => new ApiError(401, "Incorrect API key provided.", { code: "invalid_api_key" });

export const unknownModel = () => new ApiError(404, "The model does not exist or you do not have access to it.", { param: "model", code: "model_not_found" });

export const unknownPath = () => new ApiError(404, "Unknown request URL.", { code: "unknown_url" });

export const wrongMethod = (allow) => new ApiError(405, `Not allowed to use this method here; use ${allow}.`, { code: "method_not_supported", headers: { Allow: allow } });

export const tooLarge = (limit) => new ApiError(413, `The request has more than ${limit} bytes.`, { code: "request_too_large", headers: { Connection: "close" } });

export const busy = () => new ApiError(429, "Too many requests are waiting. Try again later.", { type: "requests", code: "rate_limit_exceeded", headers: { "Retry-After": "1" } });

export const stopping = () => new ApiError(503, "The server is stopping.", { type: "server_error", code: "service_unavailable", headers: { Connection: "close" } });

export const broken = () => new ApiError(500, "The server had an error while processing the request.", { type: "server_error" });

export const tooLong = (limit, prompt, answer) =>
  invalid("messages", `This model's maximum context length is ${limit} tokens. However, you requested ${prompt + answer} tokens (${prompt} in the messages, ${answer} in the completion).`, "context_length_exceeded");
