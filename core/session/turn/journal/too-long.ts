/** Text of the notice about an answer that was not begun: the conversation is shortened, and the model is asked again. */
export const TOO_LONG = "The conversation was too long for the model.";
