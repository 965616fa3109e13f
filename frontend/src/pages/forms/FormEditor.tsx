import { useLingui } from "@lingui/react/macro";
import { Button, Checkbox, Drawer, Select, Switch, TagsInput, Textarea, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { IconPlus } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { createForm, type Form, formQuery, topicsQuery, updateForm } from "@/api/inbound";
import { listsQuery } from "@/api/people";
import { useToast } from "@/ui/toast";
import { useRefusal } from "@/ui/useRefusal";
import { type FormValues, inputOf, question, valuesOf } from "./formInput";
import classes from "./forms.module.css";
import { QuestionCard } from "./QuestionCard";

/** Sentences about one of the sites stand under all of them. */
const rename = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`allowed_origins.${i}`, "allowed_origins"]));

interface EditorProps {
  form?: Form;
  onClose: () => void;
}

/** Makes a form or changes one. */
export default function FormEditor({ form: saved, onClose }: EditorProps) {
  const { t } = useLingui();
  const client = useQueryClient();
  const navigate = useNavigate();
  const toast = useToast();
  const topics = useQuery(topicsQuery);
  const lists = useQuery(listsQuery);
  const form = useForm<FormValues>({
    initialValues: saved
      ? valuesOf(saved)
      : {
          name: "",
          title: "",
          fields: [
            question({ key: "email", type: "email", label: t`E-mail`, required: true, maps_to: "email" }),
            question({ key: "first_name", label: t`First name`, maps_to: "first_name" }),
          ],
          consent_text: "",
          consent_topic: "",
          consent_required: false,
          double_opt_in: true,
          list: "",
          allowed_origins: [],
          redirect: "",
          thanks: "",
        },
  });
  const { refusal, refuse, forgive } = useRefusal(form, rename);
  const { fields } = form.values;
  const submit = form.onSubmit(async (values) => {
    forgive();
    try {
      const body = inputOf(values);
      const answer = saved ? await updateForm(saved.slug, body) : await createForm(body);
      client.setQueryData(formQuery(answer.slug).queryKey, answer);
      client.invalidateQueries({ queryKey: ["forms"], exact: true });
      onClose();
      toast.show({ title: t`The form is saved` });
      if (!saved) navigate({ to: "/forms/$slug", params: { slug: answer.slug } });
    } catch (error) {
      refuse(error);
    }
  });
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size={600}
      closeOnClickOutside={false}
      title={saved ? t`Change the form` : t`Make a form`}
      closeButtonProps={{ "aria-label": t`Close` }}
    >
      <form className={classes.editor} onSubmit={submit} noValidate>
        <div className={classes.group}>
          <TextInput
            label={t`Name`}
            description={t`Only you see it.`}
            data-autofocus
            required
            withAsterisk={false}
            {...form.getInputProps("name")}
          />
          <TextInput
            label={t`Heading`}
            placeholder={t`Join our newsletter`}
            description={t`Stands above the questions.`}
            {...form.getInputProps("title")}
          />
        </div>
        <fieldset className={classes.group}>
          <legend>{t`Questions`}</legend>
          {fields.map((field, at) => (
            <QuestionCard
              key={field.id}
              form={form}
              at={at}
              onMove={(to) => form.reorderListItem("fields", { from: at, to })}
              onRemove={() => form.removeListItem("fields", at)}
            />
          ))}
          {form.errors.fields && (
            <p className={classes.refusal} role="alert">
              {form.errors.fields}
            </p>
          )}
          <div className={classes.buttons}>
            <Button
              size="sm"
              disabled={fields.length >= 40}
              leftSection={<IconPlus size={14} stroke={2} aria-hidden />}
              onClick={() => form.insertListItem("fields", question())}
            >
              {t`Add a question`}
            </Button>
          </div>
        </fieldset>
        <fieldset className={classes.group}>
          <legend>{t`Consent`}</legend>
          <Textarea
            label={t`What people agree to`}
            placeholder={t`I want to get news and offers by e-mail.`}
            description={t`Stands beside a box to tick. Empty: nothing is asked, and nobody agrees to marketing.`}
            autosize
            minRows={2}
            maxRows={8}
            {...form.getInputProps("consent_text")}
          />
          {form.values.consent_text.trim() !== "" && (
            <>
              <Select
                label={t`What the consent is for`}
                data={[
                  { value: "", label: t`All marketing by e-mail` },
                  ...(topics.data ?? []).map(({ slug, name }) => ({ value: slug, label: name })),
                ]}
                {...form.getInputProps("consent_topic")}
              />
              <Checkbox
                label={t`Nobody can send the form without it`}
                {...form.getInputProps("consent_required", { type: "checkbox" })}
              />
            </>
          )}
          <Switch
            label={t`Ask people to confirm their address`}
            description={t`They get an e-mail with a link. Nothing starts, and no consent counts, before they follow it.`}
            {...form.getInputProps("double_opt_in", { type: "checkbox" })}
          />
        </fieldset>
        <fieldset className={classes.group}>
          <legend>{t`Where it stands`}</legend>
          <TagsInput
            label={t`Sites that may show it`}
            placeholder={form.values.allowed_origins.length ? undefined : "https://shop.example"}
            description={t`Write each address and press Enter. Its own page works without.`}
            splitChars={[",", " "]}
            acceptValueOnBlur
            {...form.getInputProps("allowed_origins")}
            onChange={(sites) => form.setFieldValue("allowed_origins", [...new Set(sites.map(siteOf))])}
          />
        </fieldset>
        <fieldset className={classes.group}>
          <legend>{t`After it is sent`}</legend>
          <TextInput
            label={t`Go on to`}
            type="url"
            placeholder="https://shop.example/thanks"
            description={t`Empty: the words below are shown.`}
            {...form.getInputProps("redirect")}
          />
          {form.values.redirect.trim() === "" && (
            <Textarea
              label={t`Thanks`}
              placeholder={t`Thank you. We will be in touch.`}
              autosize
              minRows={2}
              {...form.getInputProps("thanks")}
            />
          )}
          <Select
            label={t`Add to a list`}
            data={[
              { value: "", label: t`No list` },
              ...(lists.data ?? []).map(({ slug, name }) => ({ value: slug, label: name })),
            ]}
            {...form.getInputProps("list")}
          />
        </fieldset>
        <div className={classes.foot}>
          {refusal && (
            <p className={classes.refusal} role="alert">
              {refusal}
            </p>
          )}
          <div className={classes.buttons}>
            <Button variant="subtle" onClick={onClose}>
              {t`Cancel`}
            </Button>
            <Button type="submit" variant="filled" loading={form.submitting}>
              {t`Save the form`}
            </Button>
          </div>
        </div>
      </form>
    </Drawer>
  );
}

/** The scheme and host of what was typed; what is no address stays, and the server says so. */
export function siteOf(typed: string): string {
  const whole = /^https?:\/\//i.test(typed) ? typed : `https://${typed}`;
  try {
    return new URL(whole).origin;
  } catch {
    return typed;
  }
}
