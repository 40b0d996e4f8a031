import { describeUrlPolicy } from "../conformance/url-policy.ts";

describeUrlPolicy();
