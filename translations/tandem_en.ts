<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en" sourcelanguage="en">
    <context>
        <name>Plan</name>
        <message numerus="yes">
            <source>%n chat(s) at once</source>
            <translation>
                <numerusform>%n chat at once</numerusform>
                <numerusform>%n chats at once</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source>%n Spark(s)</source>
            <translation>
                <numerusform>%n Spark</numerusform>
                <numerusform>%n Sparks</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>tandem::gui::EngineStatus</name>
        <message numerus="yes">
            <source>%1 is answering (%n request(s))</source>
            <translation>
                <numerusform>%1 is answering (%n request)</numerusform>
                <numerusform>%1 is answering (%n requests)</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>tandem::gui::LoadDialog</name>
        <message numerus="yes">
            <source>Needs %1, %2 are available. The context can be up to %3 tokens for %n chat(s) at once.</source>
            <translation>
                <numerusform>Needs %1, %2 are available. The context can be up to %3 tokens for %n chat at once.</numerusform>
                <numerusform>Needs %1, %2 are available. The context can be up to %3 tokens for %n chats at once.</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>tandem::gui::ModelDetails</name>
        <message numerus="yes">
            <source>%1, %n file(s)</source>
            <translation>
                <numerusform>%1, %n file</numerusform>
                <numerusform>%1, %n files</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>tandem::gui::ModelsPage</name>
        <message numerus="yes">
            <source>%n path(s) could not be added.</source>
            <translation>
                <numerusform>%n path could not be added.</numerusform>
                <numerusform>%n paths could not be added.</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>tandem::gui::PlanPage</name>
        <message numerus="yes">
            <source>for %n chat(s) at once</source>
            <translation>
                <numerusform>for %n chat at once</numerusform>
                <numerusform>for %n chats at once</numerusform>
            </translation>
        </message>
    </context>
</TS>
